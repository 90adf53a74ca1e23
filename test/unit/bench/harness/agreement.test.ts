import { expect, test } from 'vitest';
import { rankCorrelation, signArea } from '../../../../bench/harness/agreement.js';

const pairs = (ours: readonly number[], theirs: readonly number[]) =>
  ours.map((value, i) => ({ ours: value, theirs: theirs[i]! }));

test('ranks count, not values', () => {
  expect(rankCorrelation(pairs([1, 2, 3, 100], [0, 5, 6, 7]))).toBeCloseTo(1);
  expect(rankCorrelation(pairs([4, 3, 2, 1], [0, 5, 6, 7]))).toBeCloseTo(-1);
});

test('equal values share their mean rank', () => {
  // Ranks 1.5, 1.5, 3, 4 against 1, 2, 3, 4: Pearson of these is 4.5 / √(4.5 · 5).
  expect(rankCorrelation(pairs([1, 1, 2, 3], [1, 2, 3, 4]))).toBeCloseTo(4.5 / Math.sqrt(22.5));
});

test('the area is the share of pairs in order, ties half', () => {
  expect(signArea(pairs([3, 4, 1, 2], [1, 1, -1, -1]))).toBe(1);
  expect(signArea(pairs([1, 4, 1, 2], [1, 1, -1, -1]))).toBe((0.5 + 0 + 2) / 4);
});

test('without both signs there is no area', () => {
  expect(signArea(pairs([1, 2], [1, 1]))).toBeNaN();
});
