import { createReframer } from '../../../src/index.js';
import { analyse } from '../../../test/unit/core/plan/invented-scene.js';

/** How a plan of a long video was made: how long it took, and for how long at most the page stood still. */
export type LongPlanTimes = {
  readonly what: string;
  readonly seconds: number;
  readonly longestMs: number;
};

declare global {
  var timeLongPlan: (minutes: number) => Promise<readonly LongPlanTimes[]>;
}

/** Four faces in turns, a cut every eight seconds: planned here, then in the worker, then there again. */
globalThis.timeLongPlan = async minutes => {
  const durationSec = 60 * minutes;
  const people = [0, 1, 2, 3].map(p => ({
    at: (sec: number) => ({ x: 300 + 440 * p + 20 * Math.sin(0.7 * sec + p), y: 480 }),
    size: 200,
  }));
  const cuts = Array.from({ length: Math.ceil(durationSec / 8) - 1 }, (_, i) => 8 * (i + 1));
  const result = { parts: analyse({ people, durationSec, cuts }) };
  for (const { face_id, scores } of result.parts.active_speaker.tracks)
    for (const score of scores) score.speaking = Math.floor(score.frame_number / 75) % 4 === face_id % 100;
  const reframer = createReframer();
  const rows = [
    await watch('on this thread', async () => reframer.plan(result)),
    await watch('in the worker, with the result', () => reframer.planInWorker(result)),
    await watch('in the worker, again', () => reframer.planInWorker(result, { pace: 'calm' })),
  ];
  reframer.close();
  return rows;
};

/** Does something while a clock ticks as fast as tasks can follow each other. */
async function watch(what: string, work: () => Promise<unknown>): Promise<LongPlanTimes> {
  const { port1, port2 } = new MessageChannel();
  let longestMs = 0;
  let lastMs = performance.now();
  port1.onmessage = () => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
    port2.postMessage(0);
  };
  port2.postMessage(0);
  const startMs = performance.now();
  await work();
  const seconds = (performance.now() - startMs) / 1000;
  // The tick behind the work, which may have been one task with it.
  await new Promise(resolve => setTimeout(resolve));
  port1.close();
  return { what, seconds, longestMs };
}
