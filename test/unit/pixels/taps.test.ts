import { describe, expect, test } from 'vitest';
import type { Taps } from '../../../src/pixels/taps.js';
import {
  areaTaps,
  bilinearTaps,
  composeTaps,
  cubicTaps,
  gaussianTaps,
  halveTaps,
  tentTaps,
} from '../../../src/pixels/taps.js';

const apply = (taps: Taps, row: readonly number[]) =>
  Array.from({ length: taps.length }, (_, o) => {
    let sum = 0;
    for (let k = 0; k < taps.count; k++) sum += taps.weights[o * taps.count + k]! * row[taps.start[o]! + k]!;
    return sum;
  });
const stretch = (from: number, step: number, outputs: number, inputs: number) => ({
  from,
  step,
  outputs,
  inputs,
});
const makers = { bilinearTaps, areaTaps, cubicTaps, tentTaps };

describe.each(Object.entries(makers))('%s', (_, make) => {
  test.each([
    [0, 1, 16],
    [0, 3, 5],
    [-4, 0.37, 70],
    [2.3, 1.9, 10],
  ])('keeps a constant row, also beyond its ends (from %d, step %d)', (from, step, outputs) => {
    for (const value of apply(make(stretch(from, step, outputs, 16)), new Array(16).fill(7)))
      expect(value).toBeCloseTo(7, 4);
  });

  test('copies at step 1', () => {
    const row = [3, 1, 4, 1, 5, 9, 2, 6];
    apply(make(stretch(0, 1, 8, 8)), row).forEach((value, i) => {
      expect(value).toBeCloseTo(row[i]!, 5);
    });
  });

  test('keeps a ramp where it is', () => {
    const ramp = Array.from({ length: 40 }, (_, i) => i);
    apply(make(stretch(10, 1.5, 12, 40)), ramp).forEach((value, o) => {
      // Area and tent cover whole samples, so on a ramp they may be off by a fraction of one.
      expect(Math.abs(value - (10 + (o + 0.5) * 1.5 - 0.5))).toBeLessThan(0.13);
    });
  });
});

test('bilinear reads at half-pixel centres', () => {
  expect(apply(bilinearTaps(stretch(0, 0.5, 4, 2)), [0, 100])).toEqual([0, 25, 75, 100]);
});

test('area splits the samples that an edge cuts', () => {
  apply(areaTaps(stretch(0, 1.5, 2, 3)), [0, 60, 90]).forEach((value, i) => {
    expect(value).toBeCloseTo([20, 80][i]!, 4);
  });
});

test('a composed map does what its two maps do one after the other', () => {
  const row = Array.from({ length: 9 }, (_, i) => (i * 37) % 50);
  const inner = bilinearTaps(stretch(0.5, 0.5, 17, 9));
  const outer = cubicTaps(stretch(3, 0.6, 14, 17));
  const oneByOne = apply(outer, apply(inner, row));
  apply(composeTaps(outer, inner), row).forEach((value, i) => {
    expect(value).toBeCloseTo(oneByOne[i]!, 3);
  });
  apply(halveTaps(outer), apply(inner, row)).forEach((value, i) => {
    expect(value).toBeCloseTo((oneByOne[2 * i]! + oneByOne[2 * i + 1]!) / 2, 3);
  });
});

test('a Gaussian spreads a point symmetrically and keeps its sum', () => {
  const row = new Array(31).fill(0);
  row[15] = 100;
  const spread = apply(gaussianTaps(31, 2), row);
  expect(spread.reduce((a, b) => a + b)).toBeCloseTo(100, 3);
  for (let i = 0; i < 15; i++) expect(spread[i]).toBeCloseTo(spread[30 - i]!, 4);
  expect(spread[17]! / spread[15]!).toBeCloseTo(Math.exp(-0.5), 3);
});
