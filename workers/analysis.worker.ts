import { createAnalysisTasks } from '../src/pipeline/analysis/analysis-tasks.js';
import { connectTasks, linkWorker } from '../src/rpc/connect.js';
import { exposeTasks } from '../src/rpc/expose.js';
import { startForeignWorker } from '../src/rpc/foreign-worker.js';

exposeTasks(
  createAnalysisTasks(() =>
    connectTasks(
      linkWorker(
        startForeignWorker('./inference.worker.js', import.meta.url) ??
          new Worker(new URL('./inference.worker.js', import.meta.url), { type: 'module' }),
      ),
    ),
  ),
);
