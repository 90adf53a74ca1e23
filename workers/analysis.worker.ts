import { createAnalysisTasks } from '../src/pipeline/analysis-tasks.js';
import { exposeTasks } from '../src/rpc/expose.js';

exposeTasks(createAnalysisTasks());
