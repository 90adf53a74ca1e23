import { createSessionTasks } from '../src/inference/session-worker.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createSessionTasks());
