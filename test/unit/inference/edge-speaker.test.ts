import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audioFeatures } from '../../../src/core/audio-features.js';
import { bundledUrl } from '../../../src/inference/bundled.js';
import {
  createSpeakerModel,
  embeddingSize,
  faceHaloFrames,
  type SpeakerModel,
  soundHaloFrames,
} from '../../../src/inference/lr-asd.js';
import { windowedScore } from '../../../src/inference/score-windows.js';
import { openSession } from '../../../src/inference/session.js';

const shared = new URL('../../../../shared/', import.meta.url);
const cropSize = 112 * 112;
const rowSize = 4 * 13;
const crops = (data: Float32Array) => ({
  kind: 'cpu' as const,
  dims: [1, data.length / cropSize, 112, 112],
  data,
});
const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(b).reduce((most, value, i) => Math.max(most, Math.abs(value - a[i]!)), 0);

/** A bar that opens and closes on grey, which is all that is needed of a mouth here. */
const bars = (frames: number) =>
  Float32Array.from({ length: frames * cropSize }, (_, i) => {
    const [t, y, x] = [Math.floor(i / cropSize), Math.floor(i / 112) % 112, i % 112];
    return Math.abs(y - 70) < 4 + 4 * Math.sin(t * 0.9) && Math.abs(x - 56) < 22 ? 30 : 120 + ((x + y) % 40);
  });
const rows = (frames: number) =>
  Float32Array.from({ length: frames * rowSize }, (_, i) => 10 * Math.sin(0.1 * i * ((i % 13) + 1)));

let model: SpeakerModel;
beforeAll(async () => {
  const part = (name: string) => {
    const bytes = new Uint8Array(readFileSync(bundledUrl(`edge-speaker-${name}`)!));
    return openSession(bytes, name, { device: 'wasm', threads: 1 });
  };
  model = await createSpeakerModel({
    family: 'edge-speaker',
    visual: await part('visual'),
    audio: await part('audio'),
    backend: await part('backend'),
  });
}, 60_000);
afterAll(() => model.close());

test('a face seen through a window with a halo embeds as in the whole run', async () => {
  const [frames, from, to] = [40, 15, 25];
  const pixels = bars(frames);
  const whole = await model.embedFaces(crops(pixels));
  const begin = from - faceHaloFrames;
  const piece = await model.embedFaces(
    crops(pixels.slice(begin * cropSize, (to + faceHaloFrames) * cropSize)),
  );
  const inside = piece.subarray(faceHaloFrames * embeddingSize, (to - begin) * embeddingSize);
  expect(largestGap(inside, whole.subarray(from * embeddingSize, to * embeddingSize))).toBeLessThan(1e-3);
}, 60_000);

test('sound heard through a window with a halo embeds as in the whole', async () => {
  const [frames, from, to] = [60, 20, 40];
  const features = rows(frames);
  const whole = await model.embedSound(features);
  const begin = from - soundHaloFrames;
  const piece = await model.embedSound(features.slice(begin * rowSize, (to + soundHaloFrames) * rowSize));
  const inside = piece.subarray(soundHaloFrames * embeddingSize, (to - begin) * embeddingSize);
  expect(largestGap(inside, whole.subarray(from * embeddingSize, to * embeddingSize))).toBeLessThan(1e-3);
}, 60_000);

test('windows are scored alone: a batch of them gives what each gives', async () => {
  const faces = await model.embedFaces(crops(bars(50)));
  const sound = await model.embedSound(rows(50));
  const both = await model.score(faces, sound, 25);
  const second = await model.score(
    faces.slice(25 * embeddingSize),
    sound.slice(25 * embeddingSize, 50 * embeddingSize),
    25,
  );
  expect(both).toHaveLength(50);
  expect(largestGap(both.subarray(25), second)).toBeLessThan(1e-3);
}, 60_000);

test('nobody speaks in silence, and no photo speaks', async () => {
  const frames = 50;
  const moving = await model.embedFaces(crops(bars(frames)));
  const silence = await model.embedSound(Float32Array.from(audioFeatures(new Float32Array(frames * 640))));
  expect(Math.max(...(await windowedScore(model, moving, silence)))).toBeLessThan(0);
  const photo = bars(1);
  const still = await model.embedFaces(
    crops(Float32Array.from({ length: frames * cropSize }, (_, i) => photo[i % cropSize]!)),
  );
  expect(Math.max(...(await windowedScore(model, still, await model.embedSound(rows(frames)))))).toBeLessThan(
    0,
  );
}, 60_000);

describe.skipIf(!existsSync(shared))('a recorded speaker (needs ../shared)', () => {
  const read = (name: string) => readFileSync(new URL(`golden/${name}`, shared));

  test('is heard to speak but for the pauses, not so in noise, and not as a photo', async () => {
    const frames = 199;
    const bytes = read('kh_mpeg4_track0_crops112_u8.bin').subarray(0, frames * cropSize);
    const wave = read('kh_mpeg4_audio16k.wav').subarray(44);
    const own = Float32Array.from({ length: wave.length / 2 }, (_, i) => wave.readInt16LE(2 * i) / 32768);
    let seed = 1;
    const noise = own.map(() => {
      seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
      return 0.1 * (seed / 2 ** 31 - 1);
    });
    const speaking = async (faces: Float32Array, samples: Float32Array) => {
      const sound = await model.embedSound(Float32Array.from(audioFeatures(samples)));
      const scores = await windowedScore(model, faces, sound.subarray(0, faces.length));
      return Array.from(scores.subarray(0, frames), value => value > 0);
    };
    const ratio = (of: readonly boolean[], among = (_frame: number) => true) => {
      const counted = of.filter((_, frame) => among(frame));
      return counted.filter(Boolean).length / counted.length;
    };
    /** Frames whose sound is louder than the room: −38 dB is what lies between its breath and its speech. */
    const isLoud = (frame: number) => {
      const part = own.subarray(frame * 640, (frame + 1) * 640);
      return 10 * Math.log10(part.reduce((sum, value) => sum + value * value, 0) / part.length) > -38;
    };
    const moving = await model.embedFaces(crops(Float32Array.from(bytes)));
    const still = await model.embedFaces(
      crops(Float32Array.from({ length: bytes.length }, (_, i) => bytes[i % cropSize]!)),
    );
    const heard = await speaking(moving, own);
    expect(ratio(heard, isLoud)).toBeGreaterThan(0.97);
    expect(ratio(heard, frame => !isLoud(frame))).toBeLessThan(0.5);
    expect(ratio(await speaking(moving, noise))).toBeLessThan(0.03);
    expect(ratio(await speaking(still, own))).toBeLessThan(0.03);
  }, 120_000);
});
