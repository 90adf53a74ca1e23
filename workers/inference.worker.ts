import { createInferenceTasks } from '../src/inference/inference-tasks.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createInferenceTasks());
