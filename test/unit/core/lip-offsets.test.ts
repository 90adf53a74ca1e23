import { expect, test } from 'vitest';
import { mulberry32 } from '../../../bench/harness/random.js';
import { lipAgreement, soundLips } from '../../../src/core/lip-agreement.js';
import { lagLikelihood, lipOffsets } from '../../../src/core/lip-offsets.js';
import { type FaceEvidence, type SoundEvidence, syncSize } from '../../../src/core/speaker-evidence.js';

const frames = 500;
/** Movements that resemble nothing but themselves. */
function moves(seed: number): Float32Array {
  const random = mulberry32(seed);
  const out = new Float32Array(frames * syncSize);
  for (let i = 0; i < out.length; i++) out[i] = 0.6 * (out[i - syncSize] ?? 0) + random() - 0.5;
  return out;
}
/** A face whose lips follow the sound by so many frames from `from` to `to`, and else move as they like. */
function face(sound: Float32Array, { offset = 0, from = 0, to = frames, seed = 7 }): FaceEvidence {
  const lips = moves(seed);
  for (let frame = from; frame < to; frame++) {
    const at = frame - offset;
    if (at < 0 || at >= frames) continue;
    lips.set(sound.subarray(at * syncSize, (at + 1) * syncSize), frame * syncSize);
  }
  const nothing = new Float32Array(frames);
  return { firstGridFrame: 0, score: nothing, shifted: nothing, lips };
}
const sound: SoundEvidence = { lips: moves(1), voices: new Int8Array(0) };
const offsetsOf = (faces: readonly FaceEvidence[]) =>
  lipOffsets(faces.map(one => lagLikelihood(lipAgreement(one, soundLips(sound)), () => true)));

test.each([-8, -3, 0, 1, 5, 9])('lips that follow the sound by %i frames are found there', offset => {
  expect(offsetsOf([face(sound.lips, { offset })])).toEqual([offset]);
});

test('a face that talks for a part of the time has the offset of that part', () => {
  expect(offsetsOf([face(sound.lips, { offset: -6, from: 100, to: 250 })])).toEqual([-6]);
});

test('two halves of a split screen may lie differently', () => {
  const left = face(sound.lips, { offset: -1, to: 250, seed: 8 });
  const right = face(sound.lips, { offset: 5, from: 250, seed: 9 });
  expect(offsetsOf([left, right])).toEqual([-1, 5]);
});

test('a face that says nothing lies where the others lie, within a frame', () => {
  const silent = face(sound.lips, { to: 0, seed: 11 });
  const [quiet, talking] = offsetsOf([silent, face(sound.lips, { offset: -5, seed: 10 })]);
  expect(talking).toBe(-5);
  expect(Math.abs(quiet! + 5)).toBeLessThanOrEqual(1);
});

test('where nothing is known lips lie where they usually lie', () => {
  const { score, shifted } = face(sound.lips, {});
  const blind = { firstGridFrame: 0, score, shifted, lips: new Float32Array(0) };
  expect(offsetsOf([blind])).toEqual([1]);
});
