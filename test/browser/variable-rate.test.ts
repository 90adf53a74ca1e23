import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnalysisResult, createReframer, type Plan } from '../../src/index.js';
import { readTimecode } from '../fixtures/draw.js';
import type { DrawnSpec } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { beepsOf, lumaOf } from './read-clip.js';

/** Two seconds each at 15, 30 and 60 frames a second; the average, 35, is right nowhere. */
const timesSec = [15, 30, 60].flatMap((rateHz, third) =>
  Array.from({ length: 2 * rateHz }, (_, i) => 2 * third + i / rateHz),
);
const spec: DrawnSpec = {
  size: { width: 320, height: 180 },
  timesSec,
  shots: [{ startFrame: 0, discs: [{ x: 160, y: 90, radius: 20 }] }],
  flashFrames: [12, 45, 150],
};

const reframer = createReframer({
  device: 'wasm',
  threads: 1,
  models: { cache: false, shotDetector: 'model-free' },
});
let clip: Blob;
let whole: AnalysisResult;
beforeAll(async () => {
  ({ blob: clip } = await drawnClip(spec, { audioCodec: 'aac' }));
  whole = await reframer.analyse(clip, { want: ['scene_detection'] });
});
afterAll(() => reframer.close());

test.for([
  ['in the slow third', 0.4, 1.6],
  ['from the slow to the middle third', 1.2, 2.8],
  ['from the middle to the fast third', 3.3, 5.4],
  ['over all thirds', 0.5, 5.5],
] as const)('a range %s keeps all of its frames and sound', async ([, startSec, endSec]) => {
  const frames = timesSec.flatMap((t, rank) => (t >= startSec && t < endSec ? [rank] : []));
  const [first, end] = [frames[0]!, frames.at(-1)! + 1];
  const range = { firstFrame: first, frameCount: end - first };
  const planned = reframer.plan(
    { ...whole, range },
    { outputHeight: 180, aspect: { width: 320, height: 180 }, camera: 'center' },
  );
  // A plan that was stored has numbers of frames and times of keyframes only.
  const plan = JSON.parse(JSON.stringify(planned)) as Plan;
  const { file, durationSec } = await reframer.render(clip, plan, { target: 'memory', videoBitrate: 2e6 });

  const originSec = timesSec[first]!;
  const wantedSec = timesSec[end]! - originSec;
  expect(Math.abs(durationSec - wantedSec)).toBeLessThan(1 / 60);
  const ranks: number[] = [];
  const flashes: number[] = [];
  for await (const { timeSec, luma, stride, width, height } of lumaOf(file!)) {
    ranks.push(readTimecode(luma, { width, height }, stride));
    expect(Math.abs(timeSec - (timesSec[ranks.at(-1)!]! - originSec))).toBeLessThan(1e-3);
    if (luma[Math.round(height * 0.8) * stride + 20]! > 200) flashes.push(timeSec);
  }
  expect(ranks).toEqual(frames);
  const beeps = await beepsOf(file!);
  expect(flashes).toHaveLength(spec.flashFrames!.filter(rank => frames.includes(rank)).length);
  expect(beeps).toHaveLength(flashes.length);
  for (const [i, flash] of flashes.entries()) expect(Math.abs(flash - beeps[i]!)).toBeLessThan(0.025);
});
