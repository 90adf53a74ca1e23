import { createRenderTasks } from '../src/pipeline/render-tasks.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createRenderTasks());
