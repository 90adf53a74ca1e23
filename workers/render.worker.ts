import { createRenderTasks } from '../src/pipeline/rendering/render-tasks.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createRenderTasks());
