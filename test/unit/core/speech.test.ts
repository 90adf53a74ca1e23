import { expect, test } from 'vitest';
import { speechIntervals } from '../../../src/core/speech.js';

/** Probabilities given as runs of [value, seconds], 10 ms apart, starting at 5 s. */
const intervalsOf = (...runs: [number, number][]) =>
  speechIntervals({
    originSec: 5,
    stepSec: 0.01,
    values: Float32Array.from(
      runs.flatMap(([value, sec]) => Array<number>(Math.round(sec * 100)).fill(value)),
    ),
  }).map(({ startSec, endSec }) => [
    Math.round((startSec - 5) * 100) / 100,
    Math.round((endSec - 5) * 100) / 100,
  ]);

test('speech begins at the upper threshold and lasts until the lower one', () => {
  expect(intervalsOf([0.4, 0.5], [0.9, 0.5], [0.4, 0.5], [0.2, 1])).toEqual([[0.5, 1.5]]);
});

test('short pauses belong to the speech around them, long ones do not', () => {
  expect(intervalsOf([0.9, 1], [0, 0.35], [0.9, 1], [0, 0.6], [0.9, 1])).toEqual([
    [0, 2.35],
    [2.95, 3.95],
  ]);
});

test('a click is no speech, and does not bridge two stretches', () => {
  expect(intervalsOf([0, 1], [0.9, 0.1], [0, 1])).toEqual([]);
  expect(intervalsOf([0.9, 1], [0, 0.3], [0.9, 0.1], [0, 0.3], [0.9, 1])).toHaveLength(2);
});

test('silence and nothing at all have no speech', () => {
  expect(intervalsOf([0.1, 3])).toEqual([]);
  expect(intervalsOf()).toEqual([]);
});
