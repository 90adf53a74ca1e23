import { createPlanTasks } from '../src/pipeline/plan-tasks.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createPlanTasks());
