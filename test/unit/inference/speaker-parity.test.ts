import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audioFeatures } from '../../../src/core/audio-features.js';
import { createSpeakerModel, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { windowedScore } from '../../../src/inference/score-windows.js';
import { openSession } from '../../../src/inference/session.js';
import { createSpeakerScorer } from '../../../src/inference/speaker-scorer.js';
import asd from '../../golden/asd_synthetic.json' with { type: 'json' };

const shared = new URL('../../../../shared/', import.meta.url);
const read = (path: string) => new Uint8Array(readFileSync(new URL(path, shared)));
const open = async (family: string) => {
  const part = (name: string) =>
    openSession(read(`models/${family}-${name}.onnx`), name, { device: 'wasm', threads: 1 });
  return createSpeakerModel({
    family: family === 'light-asd-ava' ? 'light-asd' : 'lr-asd',
    visual: await part('visual.w16'),
    audio: await part('audio.w16'),
    backend: await part('backend'),
  });
};
const cropSize = 112 * 112;
const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>) =>
  Array.from(b).reduce((most, value, i) => Math.max(most, Math.abs(value - a[i]!)), 0);

describe.skipIf(!existsSync(shared))('speaker models against reference scores (needs ../shared)', () => {
  describe.each(['lr-asd-ava', 'light-asd-ava'] as const)('%s', family => {
    let model: SpeakerModel;
    beforeAll(async () => {
      model = await open(family);
    }, 60_000);
    afterAll(() => model.close());

    test('formula-made faces and sound give the reference scores', async () => {
      const frames = 50;
      const crops = Float32Array.from({ length: frames * cropSize }, (_, i) => {
        const [t, y, x] = [Math.floor(i / cropSize), Math.floor(i / 112) % 112, i % 112];
        return (7 * t + 3 * y + 5 * x + ((x * y) % 13)) % 256;
      });
      const features = Float32Array.from(
        { length: 4 * frames * 13 },
        (_, i) => 10 * Math.sin(0.1 * Math.floor(i / 13) * ((i % 13) + 1)),
      );
      const faces = await model.embedFaces({ kind: 'cpu', dims: [1, frames, 112, 112], data: crops });
      const sound = await model.embedSound(features);
      const expected = asd.models[family];
      // The encoders' weights are stored as float16, which moves a score by some thousandths.
      expect(largestGap(await model.score(faces, sound, frames), expected.score)).toBeLessThan(0.02);
      expect(largestGap(faces.subarray(0, 8), expected.visual_embed_frame0_first8)).toBeLessThan(0.01);
      expect(largestGap(sound.subarray(0, 8), expected.audio_embed_frame0_first8)).toBeLessThan(0.01);
    }, 60_000);
  });

  describe('a stored face track', () => {
    const pixels = () => read('golden/kh_mpeg4_track0_crops112_u8.bin');
    const wave = () => {
      const bytes = read('golden/kh_mpeg4_audio16k.wav').slice(44);
      return Float32Array.from(new Int16Array(bytes.buffer), value => value / 32768);
    };
    const stored = () => JSON.parse(new TextDecoder().decode(read('golden/kh_mpeg4.json'))).tracks[0].scores;
    let model: SpeakerModel;
    beforeAll(async () => {
      model = await open('lr-asd-ava');
    }, 60_000);
    afterAll(() => model.close());

    test('encoders once and the back end on windows of 1…6 s give the reference scores', async () => {
      const frames = 199;
      const crops = Float32Array.from(pixels().subarray(0, frames * cropSize));
      const faces = await model.embedFaces({ kind: 'cpu', dims: [1, frames, 112, 112], data: crops });
      const bytes = read('golden/kh_mpeg4_track0_mfcc_f64.bin').slice();
      const features = Float32Array.from(new Float64Array(bytes.buffer).subarray(0, frames * 4 * 13));
      const sound = await model.embedSound(features);
      const expected = stored()['lr-asd-ava'];
      // The reference ran float32 weights; those of the split files are float16, which alone moves scores by 0.002.
      expect(largestGap(await model.score(faces, sound, frames), expected.single_pass)).toBeLessThan(3e-3);
      const scores = await windowedScore(model, faces, sound);
      expect(largestGap(scores, expected.shared_encoder_windowed)).toBeLessThan(3e-3);
    }, 60_000);

    test('the same crops and features through the float32 graph give the reference scores', async () => {
      const frames = 199;
      const whole = await openSession(read('models/lr-asd-ava.onnx'), 'lr-asd-ava', {
        device: 'wasm',
        threads: 1,
      });
      const bytes = read('golden/kh_mpeg4_track0_mfcc_f64.bin').slice();
      const features = Float32Array.from(new Float64Array(bytes.buffer).subarray(0, frames * 4 * 13));
      const crops = Float32Array.from(pixels().subarray(0, frames * cropSize));
      const { score } = await whole.run({
        audio: { kind: 'cpu', dims: [1, frames * 4, 13], data: features },
        video: { kind: 'cpu', dims: [1, frames, 112, 112], data: crops },
      });
      await whole.close();
      // Crops, features and the order of inputs are right: what is left above is the rounding of weights.
      expect(largestGap(score!.data, stored()['lr-asd-ava'].single_pass)).toBeLessThan(1e-3);
    }, 60_000);

    test('streaming gives the same scores as one pass', async () => {
      const scorer = await createSpeakerScorer(model);
      const sound = wave();
      const bytes = pixels();
      for (let frame = 0; frame < 200; frame++) {
        await scorer.pushSound(sound.subarray(frame * 640, (frame + 1) * 640));
        await scorer.pushCrop(
          7,
          frame,
          Float32Array.from(bytes.subarray(frame * cropSize, (frame + 1) * cropSize)),
        );
      }
      const evidence = (await scorer.finish()).faces.get(7)!;
      const crops = Float32Array.from(bytes);
      const faces = await model.embedFaces({ kind: 'cpu', dims: [1, 200, 112, 112], data: crops });
      const features = Float32Array.from(audioFeatures(sound));
      const scores = await windowedScore(model, faces, await model.embedSound(features));
      expect(evidence.firstGridFrame).toBe(0);
      expect(evidence.score).toHaveLength(200);
      expect(largestGap(evidence.score, scores)).toBeLessThan(1e-3);
    }, 60_000);

    /** White noise of a fixed seed: mean 0, even between ±1. */
    const noise = (length: number) => {
      let seed = 1;
      return Float32Array.from({ length }, () => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return seed / 2 ** 31 - 1;
      });
    };
    const evenNoise = Math.sqrt(1 / 3);
    const rmsOf = (samples: Float32Array) =>
      Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    const shifted = (samples: Float32Array, sec: number, wraps: boolean) =>
      samples.map((_, i) => {
        const from = i - Math.round(sec * 16_000);
        return (wraps ? samples.at(from % samples.length) : samples[from]) ?? 0;
      });
    /** What is done to the sound of the stored clip, by the reference's name of the case. */
    const cases: Record<string, (own: Float32Array) => Float32Array> = {
      own: own => own,
      'silence (zeros)': own => new Float32Array(own.length),
      'noise +-3 LSB': own => noise(own.length).map(value => Math.round(value * 3) / 32768),
      'white noise rms 2000': own => noise(own.length).map(value => ((value / evenNoise) * 2000) / 32768),
      'delayed 1 s (zeros in front)': own => shifted(own, 1, false),
      'advanced 1 s': own => shifted(own, -1, false),
      'rolled 1 s': own => shifted(own, 1, true),
      'delayed 0.08 s': own => shifted(own, 0.08, false),
      'delayed 0.2 s': own => shifted(own, 0.2, false),
      'advanced 0.2 s': own => shifted(own, -0.2, false),
      'delayed 0.4 s': own => shifted(own, 0.4, false),
      'own -20 dB': own => own.map(value => value / 10),
      'own + noise 10 dB': own => {
        const level = rmsOf(own) / Math.sqrt(10) / evenNoise;
        const added = noise(own.length);
        return own.map((value, i) => value + level * added[i]!);
      },
    };

    test('other sound to the same face scores as the reference found', async () => {
      const frames = 199;
      const reference = JSON.parse(new TextDecoder().decode(read('golden/negative_cases.json'))).models[
        'lr-asd-ava'
      ].kh;
      const bytes = pixels().subarray(0, frames * cropSize);
      const crops = (data: Float32Array) => ({ kind: 'cpu' as const, dims: [1, frames, 112, 112], data });
      const moving = await model.embedFaces(crops(Float32Array.from(bytes)));
      const still = await model.embedFaces(
        crops(Float32Array.from({ length: bytes.length }, (_, i) => bytes[i % cropSize]!)),
      );
      const own = wave();
      const judge = async (faces: Float32Array, samples: Float32Array) => {
        const sound = await model.embedSound(Float32Array.from(audioFeatures(samples)));
        const scores = await windowedScore(model, faces, sound.subarray(0, faces.length));
        const mean = scores.reduce((sum, value) => sum + value, 0) / frames;
        return { mean, speaking: scores.filter(value => value > 0).length / frames };
      };
      for (const [name, change] of Object.entries(cases)) {
        const { mean, speaking } = await judge(moving, change(own));
        // Its boxes came from another detector and its noise from another generator.
        expect([name, Math.abs(mean - reference[name].mean) < 0.5], `${name}: ${mean}`).toEqual([name, true]);
        expect([name, Math.abs(speaking - reference[name].frac_pos) < 0.12], `${name}: ${speaking}`).toEqual([
          name,
          true,
        ]);
      }
      const frozen = await judge(still, own);
      expect(frozen.speaking).toBe(0);
      expect(Math.abs(frozen.mean - reference['own audio, frozen face'].mean)).toBeLessThan(0.5);
    }, 120_000);
  });
});
