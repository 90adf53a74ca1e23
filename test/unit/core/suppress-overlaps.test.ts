import { expect, test } from 'vitest';
import { suppressOverlaps } from '../../../src/core/suppress-overlaps.js';

const box = (x: number, confidence: number) => ({ x, y: 0, width: 10, height: 10, confidence });

test('the surest of overlapping boxes stays, surest first', () => {
  expect(suppressOverlaps([box(1, 0.5), box(50, 0.6), box(0, 0.9)], 0.5)).toEqual([
    box(0, 0.9),
    box(50, 0.6),
  ]);
});

test('a box that only overlaps a suppressed one stays', () => {
  // Neighbours share 3/7, ends 1/4: the middle goes, both ends stay.
  expect(suppressOverlaps([box(0, 0.9), box(4, 0.8), box(8, 0.7)], 0.4)).toEqual([box(0, 0.9), box(8, 0.7)]);
});

test('no boxes give none', () => {
  expect(suppressOverlaps([], 0.5)).toEqual([]);
});
