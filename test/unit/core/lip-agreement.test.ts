import { expect, test } from 'vitest';
import { agreementAt, lipAgreement, soundLips } from '../../../src/core/lip-agreement.js';
import { type FaceEvidence, syncSize } from '../../../src/core/speaker-evidence.js';

/** Movement at a few hertz, different for each seed. */
const movement = (seed: number, frames = 250) =>
  Float32Array.from({ length: frames * syncSize }, (_, i) => {
    const [t, k] = [Math.floor(i / syncSize), i % syncSize];
    return Math.sin(t * (0.5 + 0.13 * k + 0.31 * seed)) + Math.sin(t * t * 0.004 * (k + 1 + seed)) + 5;
  });
const face = (lips: Float32Array, firstGridFrame = 0): FaceEvidence => {
  const frames = lips.length / syncSize;
  return { firstGridFrame, lips, score: new Float32Array(frames), shifted: new Float32Array(frames) };
};
const heard = (lips: Float32Array) => soundLips({ lips, voices: new Int8Array(0) });
const meanSync = (lips: Float32Array, sound: Float32Array, firstGridFrame = 0) => {
  const agreement = lipAgreement(face(lips, firstGridFrame), heard(sound));
  const values = agreementAt(agreement, 1);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
};

test('lips that move with the sound agree, others do not', () => {
  const sound = movement(1);
  expect(meanSync(sound, sound)).toBeGreaterThan(1);
  expect(meanSync(movement(2), sound)).toBeLessThan(0.5);
});

test('lips may follow the sound by a frame, not by half a second', () => {
  const sound = movement(1);
  const late = (frames: number) =>
    movement(1, 270)
      .subarray(0, 250 * syncSize)
      .slice(0, -frames * syncSize || undefined);
  expect(meanSync(late(1), sound, 1)).toBeGreaterThan(1);
  expect(meanSync(late(13), sound, 13)).toBeLessThan(0.6);
});

test('size and offset of the movement do not matter much, a still mouth gives nothing', () => {
  const sound = movement(1);
  expect(
    meanSync(
      sound.map(v => 3 * v + 100),
      sound,
    ),
  ).toBeGreaterThan(1);
  expect(Math.abs(meanSync(new Float32Array(sound.length).fill(2), sound))).toBeLessThan(1e-6);
});

test('without a projection, and outside of the sound, there is nothing to compare', () => {
  const blind = { ...face(movement(1, 5)), lips: new Float32Array(0) };
  expect(lipAgreement(blind, heard(movement(1))).frames).toBe(0);
  expect(meanSync(movement(1, 20), movement(1), 900)).toBe(0);
});
