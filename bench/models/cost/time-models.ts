// tsx bench/models/cost/time-models.ts THREADS ID,… FOLDER…: ms per run of these models on wasm, as JSON. A process of its own, because
// the first session of a process decides about threads; straight on the runtime, because the build that pages use
// cannot start threads in Node.
import { env, InferenceSession, Tensor } from 'onnxruntime-web';
import { findModels } from '../evaluated-models.js';
import { costSizes, zerosFor } from './model-cost.js';

const [threads, ids, ...folders] = process.argv.slice(2);
const wanted = new Set(ids!.split(','));
/** The fastest of these counts: what else the machine does only ever makes a run longer. */
const runs = 12;
const fastestMs: Record<string, number> = {};
env.wasm.numThreads = Number(threads);
env.logLevel = 'error';

for (const { id, entry, bytes } of findModels(folders).filter(model => wanted.has(model.id))) {
  const session = await InferenceSession.create(bytes, { executionProviders: ['wasm'] });
  const feeds = Object.fromEntries(
    Object.entries(zerosFor(entry.inputs, costSizes)).flatMap(([name, input]) =>
      input.kind === 'cpu' ? [[name, new Tensor('float32', input.data, [...input.dims])]] : [],
    ),
  );
  fastestMs[id] = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await session.run(feeds);
    fastestMs[id] = Math.min(fastestMs[id]!, performance.now() - start);
  }
  await session.release();
}
process.stdout.write(JSON.stringify(fastestMs));
// Threads of the runtime would keep the process.
process.exit(0);
