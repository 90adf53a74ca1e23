import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audioFeatures } from '../../../src/core/audio-features.js';
import { createSpeakerModel, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { openSession } from '../../../src/inference/session.js';
import { createSpeechDetector } from '../../../src/inference/silero.js';
import { windowedScore } from '../../../src/inference/speaker-scorer.js';

const shared = new URL('../../../../shared/', import.meta.url);
const read = (path: string) => new Uint8Array(readFileSync(new URL(path, shared)));
const open = (name: string) => openSession(read(`models/${name}.onnx`), name, { device: 'wasm', threads: 1 });
const readJson = (path: string) => JSON.parse(new TextDecoder().decode(read(path)));
const readWave = (path: string) =>
  Float32Array.from(new Int16Array(read(path).slice(44).buffer), value => value / 32768);
const frames = 199;
const cropSize = 112 * 112;
const mean = (values: ArrayLike<number>) => Array.from(values).reduce((sum, x) => sum + x, 0) / values.length;
const positive = (values: Float32Array) => values.filter(value => value > 0).length / values.length;

describe.skipIf(!existsSync(shared))('a talking face with other sound (needs ../shared)', () => {
  let model: SpeakerModel;
  let own: Float32Array;
  let faces: Float32Array;
  let crops: Float32Array;
  /** Mean score and share of frames above 0 that the reference reports for this clip. */
  const reference = (name: string): { mean: number; frac_pos: number } =>
    readJson('golden/negative_cases.json').models['lr-asd-ava'].kh[name];
  const embedFaces = (data: Float32Array) =>
    model.embedFaces({ kind: 'cpu', dims: [1, frames, 112, 112], data });
  const score = async (sound: Float32Array, seen = faces) => {
    const features = Float32Array.from(audioFeatures(sound).subarray(0, 4 * frames * 13));
    return windowedScore(model, seen, await model.embedSound(features));
  };
  const map = (change: (sample: number, i: number) => number) => own.map(change);
  /** Noise that is the same in every run, white, uniform in ±1. */
  const noise = (i: number) => {
    let bits = Math.imul(i + 1, 0x9e3779b1);
    bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca77);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae3d);
    return 2 * (((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32) - 1;
  };
  const shifted = (sec: number) => map((_, i) => own[i - Math.round(sec * 16_000)] ?? 0);

  beforeAll(async () => {
    model = createSpeakerModel({
      visual: await open('lr-asd-ava-visual.w16'),
      audio: await open('lr-asd-ava-audio.w16'),
      backend: await open('lr-asd-ava-backend'),
    });
    own = readWave('golden/kh_mpeg4_audio16k.wav');
    crops = Float32Array.from(read('golden/kh_mpeg4_track0_crops112_u8.bin').subarray(0, frames * cropSize));
    faces = await embedFaces(crops);
  }, 60_000);
  afterAll(() => model.close());

  test('its own voice fits, also 20 dB quieter', async () => {
    expect(positive(await score(own))).toBeGreaterThan(0.8);
    expect(positive(await score(map(sample => sample / 10)))).toBeGreaterThan(0.8);
  });

  test.each([
    ['silence (zeros)', () => 0],
    ['noise +-3 LSB', (i: number) => (3 * noise(i)) / 32768],
    ['white noise rms 2000', (i: number) => (2000 * Math.sqrt(3) * noise(i)) / 32768],
  ])('%s fits no mouth', async (name, make) => {
    const scores = await score(map((_, i) => make(i)));
    expect(positive(scores)).toBeLessThan(reference(name).frac_pos + 0.1);
    expect(Math.abs(mean(scores) - reference(name).mean)).toBeLessThan(0.6);
  });

  test.each([
    ['delayed 1 s (zeros in front)', 1],
    ['advanced 1 s', -1],
  ])('its own voice %s fits less', async (name, sec) => {
    const [there, here] = [mean(await score(shifted(sec))), mean(await score(own))];
    expect(there).toBeLessThan(here - 0.5);
    expect(Math.abs(there - reference(name).mean)).toBeLessThan(0.6);
  });

  test('a frozen face does not speak, whatever is heard', async () => {
    const frozen = new Float32Array(crops.length);
    for (let i = 0; i < frames; i++) frozen.set(crops.subarray(0, cropSize), i * cropSize);
    expect(positive(await score(own, await embedFaces(frozen)))).toBe(0);
  });
});

test.skipIf(!existsSync(shared))(
  'speech probabilities are the reference’s (needs ../shared)',
  async () => {
    const detector = createSpeechDetector(await open('silero_vad_16k'));
    const { probs } = readJson('golden/silero_vad_test_wav.json') as { probs: number[] };
    const found = await detector.push(readWave('golden/silero_test.wav'));
    await detector.close();
    expect(found.length).toBe(probs.length);
    expect(Math.max(...probs.map((value, i) => Math.abs(value - found[i]!)))).toBeLessThan(1e-3);
  },
  60_000,
);
