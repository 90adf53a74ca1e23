import { expect, test } from 'vitest';
import { createResampler } from '../../../../src/media/input/resampler.js';

const sine = (rateHz: number, frequencyHz: number, seconds = 0.5): Float32Array =>
  Float32Array.from({ length: Math.round(rateHz * seconds) }, (_, i) =>
    Math.sin((2 * Math.PI * frequencyHz * i) / rateHz),
  );

/** The whole input at once, or in pieces of changing size. */
function resample(
  input: Float32Array,
  fromHz: number,
  toHz: number,
  pieceSizes = [input.length],
): Float32Array {
  const resampler = createResampler(fromHz, toHz);
  const parts: Float32Array[] = [];
  for (let at = 0, k = 0; at < input.length; k++) {
    const size = pieceSizes[k % pieceSizes.length]!;
    parts.push(resampler.push(input.subarray(at, at + size)));
    at += size;
  }
  parts.push(resampler.finish());
  return Float32Array.from(parts.flatMap(p => [...p]));
}

/** Strength of the middle of a signal, in decibels of a full sine. */
function levelDb(samples: Float32Array): number {
  const middle = samples.subarray(samples.length >> 2, (samples.length * 3) >> 2);
  const power = middle.reduce((sum, x) => sum + x * x, 0) / middle.length;
  return 10 * Math.log10(2 * power + 1e-20);
}

test.for([8000, 22_050, 44_100, 48_000, 96_000])(
  'a tone keeps its level and its phase from %s Hz',
  rateHz => {
    const out = resample(sine(rateHz, 1000), rateHz, 16_000);
    const ideal = sine(16_000, 1000);
    expect(out.length).toBe(8000);
    for (let i = 1000; i < 7000; i++) expect(Math.abs(out[i]! - ideal[i]!)).toBeLessThan(2e-3);
  },
);

test.for([
  [44_100, 8100],
  [44_100, 9000],
  [48_000, 8000],
  [48_000, 12_000],
  [48_000, 20_000],
] as const)('from %s Hz, %s Hz is 60 dB down instead of folding back', ([rateHz, frequencyHz]) => {
  expect(levelDb(resample(sine(rateHz, frequencyHz), rateHz, 16_000))).toBeLessThan(-60);
});

test('speech frequencies up to 7 kHz pass within a tenth of a decibel', () => {
  for (const frequencyHz of [100, 3000, 7000])
    expect(Math.abs(levelDb(resample(sine(44_100, frequencyHz), 44_100, 16_000)))).toBeLessThan(0.1);
});

test('a click stays where it is', () => {
  const click = new Float32Array(44_100);
  click[22_050] = 1;
  const out = resample(click, 44_100, 16_000);
  const peak = out.reduce((best, x, i) => (Math.abs(x) > Math.abs(out[best]!) ? i : best), 0);
  expect(peak).toBe(8000);
});

test('the size of the pieces does not matter', () => {
  const input = sine(44_100, 440, 0.2);
  expect(resample(input, 44_100, 16_000, [1, 1024, 37, 2])).toEqual(resample(input, 44_100, 16_000));
});

test('equal rates change nothing', () => {
  const input = sine(16_000, 440, 0.1);
  expect(resample(input, 16_000, 16_000, [100])).toEqual(input);
});
