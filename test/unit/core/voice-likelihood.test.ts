import { expect, test } from 'vitest';
import { voiceLikelihood } from '../../../src/core/voice-likelihood.js';

const lengthsSec = [0.7, 1, 2, 3, 3.5];

test('the more alike, the likelier one voice, whatever the lengths', () => {
  for (const a of lengthsSec) {
    for (const b of lengthsSec) {
      const ratios = [-1, -0.5, 0, 0.5, 1].map(cosine => voiceLikelihood(cosine, a, b));
      expect([a, b, ratios]).toEqual([a, b, [...ratios].sort((x, y) => x - y)]);
      expect(ratios[0]).toBeLessThan(0);
      expect(ratios[4]).toBeGreaterThan(0);
    }
  }
});

test('longer pieces say more, for and against', () => {
  const range = (seconds: number) =>
    voiceLikelihood(1, seconds, seconds) - voiceLikelihood(-1, seconds, seconds);
  expect(range(3)).toBeGreaterThan(range(1));
  expect(range(1)).toBeGreaterThan(range(0.8));
});

test('which piece is the first does not matter', () => {
  expect(voiceLikelihood(0.4, 0.8, 3)).toBe(voiceLikelihood(0.4, 3, 0.8));
});

test('lengths that the calibration did not see count as the nearest that it saw', () => {
  expect(voiceLikelihood(0.6, 0.1, 60)).toBe(voiceLikelihood(0.6, 0.7, 3.5));
});
