import { expect, test } from 'vitest';
import { writeOnnx } from '../../../src/convert/onnx-writer.js';
import { createCutReader, createSceneCutModel, cutWindowFrames } from '../../../src/inference/scene-cuts.js';
import { openSession } from '../../../src/inference/session.js';
import { drawPlain } from '../../fixtures/thumbnails.js';

/** A network whose logit for each frame is its mean brightness in levels less 100; the second output is less 200. */
const brightness = (outputs: readonly [string, string?], shape: readonly number[]) =>
  writeOnnx({
    name: 'brightness',
    inputs: [{ name: 'in', shape: [1, cutWindowFrames, 27, 48, 3] }],
    outputs: outputs.flatMap(name => (name ? [{ name, shape }] : [])),
    constants: [
      { name: 'shape', dims: [shape.length], data: BigInt64Array.from(shape, BigInt) },
      { name: 'first', dims: [], data: Float32Array.of(100) },
      { name: 'second', dims: [], data: Float32Array.of(200) },
    ],
    nodes: [
      { op: 'ReduceMean', inputs: ['in'], outputs: ['mean'], attributes: { axes: [2, 3, 4], keepdims: 0 } },
      { op: 'Reshape', inputs: ['mean', 'shape'], outputs: ['level'] },
      ...outputs.flatMap((name, i) =>
        name ? [{ op: 'Sub', inputs: ['level', i ? 'second' : 'first'], outputs: [name] }] : [],
      ),
    ],
  });

const open = async (file: Uint8Array<ArrayBuffer>) =>
  createSceneCutModel(await openSession(file, 'tiny', { device: 'wasm', threads: 1 }), 'tiny');

/** A window that is bright (150 levels) on frame 40 and white on frame 60. */
const window = Array.from({ length: cutWindowFrames }, (_, i) =>
  drawPlain(i === 40 ? 150 / 255 : i === 60 ? 1 : 0),
);
const high = (curve: Float32Array) => [...curve.keys()].filter(i => curve[i]! > 0.5);

test('a network with named outputs speaks of the first frame of a shot', async () => {
  const model = await open(brightness(['cut', 'transition'], [1, cutWindowFrames]));
  const { cut, transition } = await model.run(window);
  expect([high(cut), high(transition)]).toEqual([[40, 60], [60]]);
  await model.close();
});

test('a file of the TransNet V2 form speaks of the last frame before it', async () => {
  const model = await open(brightness(['one_hot', 'many_hot'], [1, cutWindowFrames, 1]));
  const { cut, transition } = await model.run(window);
  expect([high(cut), high(transition)]).toEqual([[41, 61], [60]]);
  await model.close();
});

test('a file of that form may have one output only', async () => {
  const model = await open(brightness(['logits'], [1, cutWindowFrames, 1]));
  const { cut, transition } = await model.run(window);
  expect([high(cut), high(transition)]).toEqual([[41, 61], []]);
  await model.close();
});

/** Stands in for a network that sees 25 frames to each side: the weighted mean of their first numbers. */
const wideModel = {
  async run(thumbnails: readonly Float32Array[]) {
    expect(thumbnails).toHaveLength(cutWindowFrames);
    const cut = Float32Array.from(thumbnails, (_, i) => {
      let sum = 0;
      for (let offset = -25; offset <= 25; offset++)
        sum += (thumbnails[i + offset]?.[0] ?? 9) * (26 - Math.abs(offset));
      return sum;
    });
    return { cut, transition: cut.map(value => -value) };
  },
};

test.each([1, 24, 50, 75, 76, 100, 149, 230])(
  '%d frames have one answer each, as if seen at once',
  async count => {
    const levels = Array.from({ length: count }, (_, i) => Math.sin(i * i));
    const reader = createCutReader(wideModel);
    const cut: number[] = [];
    for (const level of levels) cut.push(...(await reader.push(Float32Array.of(level))).cut);
    expect(count - cut.length).toBeLessThanOrEqual(75 + 24);
    const rest = await reader.finish();
    expect(rest.transition).toEqual(rest.cut.map(value => -value));
    cut.push(...rest.cut);
    const expected = levels.map((_, i) => {
      let sum = 0;
      for (let offset = -25; offset <= 25; offset++) {
        const level = levels[Math.min(count - 1, Math.max(0, i + offset))]!;
        sum += level * (26 - Math.abs(offset));
      }
      return sum;
    });
    expect(cut).toHaveLength(count);
    for (const [i, value] of cut.entries()) expect(value).toBeCloseTo(expected[i]!, 3);
  },
);

test('a video without frames has no answers', async () => {
  const { cut, transition } = await createCutReader(wideModel).finish();
  expect([cut.length, transition.length]).toEqual([0, 0]);
});
