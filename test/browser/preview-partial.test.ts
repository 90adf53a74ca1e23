import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnalysisResult, createReframer, cropAtFrame, type PartialResult } from '../../src/index.js';
import { regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { writeTinyModels } from '../fixtures/tiny-onnx.js';

const reframer = createReframer({
  device: 'wasm',
  threads: 1,
  models: { files: Object.fromEntries(writeTinyModels()), cache: false },
});
afterAll(() => reframer.close());

let clip: Blob;
let told: PartialResult[];
let result: AnalysisResult;
beforeAll(async () => {
  ({ blob: clip } = await drawnClip({
    size: { width: 320, height: 180 },
    timesSec: regularTimes(25, 150),
    shots: [
      { startFrame: 0, discs: [{ x: 250, y: 80, radius: 24, mouth: [{ startSec: 0.2, endSec: 5.8 }] }] },
    ],
    voice: [{ startSec: 0.2, endSec: 5.8 }],
  }));
  told = [];
  result = await reframer.analyse(clip, { onPartial: partial => void told.push(partial) });
});

test('what is known early is enough for a plan, which never says more than was seen', () => {
  expect(told.length).toBeGreaterThan(0);
  for (const partial of told) {
    const plan = reframer.plan(partial, { layout: 'single' });
    expect(plan.frame_count).toBe(partial.range.frameCount);
    expect(plan.frame_count).toBeGreaterThan(0);
    expect(plan.segments.at(-1)!.end_frame).toBe(partial.range.frameCount);
    const { source } = cropAtFrame(plan, 0).panels[0]!;
    expect(source.x).toBeLessThan(250);
    expect(source.x + source.width).toBeGreaterThan(250);
  }
  const counts = told.map(({ range }) => range.frameCount);
  expect(counts).toEqual([...counts].sort((a, b) => a - b));
  expect(counts[0]).toBeLessThan(150);
});

test('telling changes nothing', async () => {
  const { parts, range, speech } = await reframer.analyse(clip);
  expect({ parts, range, speech }).toEqual({
    parts: result.parts,
    range: result.range,
    speech: result.speech,
  });
});

test('a promise pauses the analysis, and a paused one can be cancelled', async () => {
  const controller = new AbortController();
  let asked = 0;
  const running = reframer.analyse(clip, {
    signal: controller.signal,
    onPartial() {
      asked++;
      queueMicrotask(() => controller.abort(new Error('enough')));
      return new Promise(() => {});
    },
  });
  await expect(running).rejects.toThrow('enough');
  expect(asked).toBe(1);
  expect((await reframer.analyse(clip)).parts).toEqual(result.parts);
});
