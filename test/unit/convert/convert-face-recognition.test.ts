import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  convertFaceRecognition,
  descriptorSize,
  facePx,
} from '../../../src/convert/convert-face-recognition.js';
import { openSession } from '../../../src/inference/session.js';
import { faceRecognitionWeights } from '../../fixtures/face-recognition-weights.js';

const cache = new URL('../../../models/cache/dlib-face-recognition.onnx', import.meta.url);
const open = (bytes: Uint8Array) => openSession(bytes, 'faces', { device: 'wasm', threads: 1 });

/** Waves of another length in each colour; `[3, 150, 150]`, 0–255. */
const waves = Float32Array.from({ length: 3 * facePx * facePx }, (_, i) => {
  const [x, y, c] = [i % facePx, Math.floor(i / facePx) % facePx, Math.floor(i / facePx / facePx)];
  return Math.round(127.5 + 127.5 * Math.sin(0.05 * x * (c + 1) + 0.07 * y));
});

test('weights of the right shapes become a network that describes each face by itself', async () => {
  const { manifest, bytes } = faceRecognitionWeights();
  const session = await open(convertFaceRecognition(JSON.stringify(manifest), bytes));
  const run = async (...faces: Float32Array[]) => {
    const data = Float32Array.from(faces.flatMap(face => [...face]));
    const dims = [faces.length, 3, facePx, facePx];
    return [...(await session.run({ face: { kind: 'cpu', dims, data } })).descriptor!.data];
  };
  const [a, b] = [await run(waves), await run(waves.map(value => 255 - value))];
  expect(a).toHaveLength(descriptorSize);
  expect(a).not.toEqual(b);
  const both = await run(
    waves,
    waves.map(value => 255 - value),
  );
  for (const [i, value] of [...a, ...b].entries()) expect(both[i]).toBeCloseTo(value, 4);
  await session.close();
});

test('files that are none, or do not belong together, are refused by name', () => {
  const { manifest, bytes } = faceRecognitionWeights();
  const convert = (weights: unknown, data = bytes) => convertFaceRecognition(JSON.stringify(weights), data);
  expect(() => convertFaceRecognition('<html>', bytes)).toThrow(/no manifest/);
  expect(() => convert([{ weights: [{ name: 'a', shape: [2], dtype: 'int32' }] }])).toThrow(/no manifest/);
  expect(() => convert(manifest, bytes.subarray(1))).toThrow(/bytes; there are/);
  const without = manifest.map(({ weights }) => ({
    weights: weights.map(entry => ({ ...entry, name: entry.name.replace('conv128_2/', 'other/') })),
  }));
  expect(() => convert(without)).toThrow(/no conv128_2\/conv1/);
  const turned = manifest.map(({ weights }) => ({
    weights: weights.map(entry => ({ ...entry, shape: entry.name === 'fc' ? [128, 256] : entry.shape })),
  }));
  expect(() => convert(turned)).toThrow(/fc is of shape 128×256, not 256×128/);
});

test.skipIf(!existsSync(cache))(
  'the published weights give what the package that carries them gives (needs npm run models -- --add identities)',
  async () => {
    const session = await open(new Uint8Array(readFileSync(cache)));
    const face = { kind: 'cpu', dims: [1, 3, facePx, facePx], data: waves } as const;
    const { data } = (await session.run({ face })).descriptor!;
    await session.close();
    // Every eighth number of what face-api 1.7.15 computes with TensorFlow.js on the CPU.
    const gold = [
      -0.036655, 0.121763, -0.154609, -0.101598, -0.083846, -0.188514, 0.059158, 0.03937, 0.17903, -0.086926,
      -0.103713, 0.216587, -0.11778, -0.157226, 0.255917, -0.012102,
    ];
    for (const [i, value] of gold.entries()) expect(data[8 * i]).toBeCloseTo(value, 4);
  },
);
