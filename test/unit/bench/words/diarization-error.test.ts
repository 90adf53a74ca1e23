import { expect, test } from 'vitest';
import { diarizationError } from '../../../../bench/words/diarization-error.js';

const spoken = (id: string, startSec: number, endSec: number) => ({ id, startSec, endSec });
const truth = [spoken('ann', 0, 10), spoken('bob', 10, 20)];

test('names do not matter, nor does a quarter of a second about the ends of turns', () => {
  const found = [spoken('1', 0.2, 10.2), spoken('2', 10.2, 20.2)];
  const error = diarizationError(truth, found, []);
  expect(error.spokenSec).toBeCloseTo(19, 5);
  expect([error.missedSec, error.falseSec, error.confusedSec]).toEqual([0, 0, 0]);
});

test('what is missed, invented and confused is counted by itself', () => {
  const found = [spoken('1', 0, 16), spoken('2', 18, 23)];
  const { missedSec, falseSec, confusedSec } = diarizationError(truth, found, []);
  expect(missedSec).toBeCloseTo(2, 5);
  expect(falseSec).toBeCloseTo(2.75, 5);
  expect(confusedSec).toBeCloseTo(5.75, 5);
});

test('each name stands for one speaker only, and both are missed where two speak and one is said to', () => {
  const both = [spoken('ann', 0, 10), spoken('bob', 0, 10)];
  const { missedSec, spokenSec } = diarizationError(both, [spoken('1', 0, 10)], []);
  expect(missedSec / spokenSec).toBeCloseTo(0.5, 5);
  const one = diarizationError(truth, [spoken('1', 0, 20)], [{ startSec: 10, endSec: 15 }]);
  expect(one.confusedSec).toBeCloseTo(4.75, 5);
});
