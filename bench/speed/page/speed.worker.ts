import { exposeTasks } from '../../../src/rpc/expose.js';
import { createMediaTasks } from './media-tasks.js';
import { createStageTasks } from './stage-tasks.js';

exposeTasks({ ...createStageTasks(), ...createMediaTasks() });
