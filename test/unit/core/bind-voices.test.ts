import { expect, test } from 'vitest';
import { bindVoices } from '../../../src/core/bind-voices.js';

test('alone, each stretch goes where it earns most', () => {
  expect(
    bindVoices(
      [
        { rewards: [0, 5, 3], same: [] },
        { rewards: [0, -4, -2], same: [0] },
      ],
      40,
    ),
  ).toEqual([1, 0]);
});

test('a doubtful turn follows the sure turns of its voice', () => {
  const sure = { rewards: [0, 100, 20], same: [] };
  expect(bindVoices([sure, { rewards: [0, 10, 20], same: [1] }], 40)).toEqual([1, 1]);
});

test('a face that surely has one voice leaves another voice to the other face', () => {
  const sure = { rewards: [0, 100, 20], same: [] };
  expect(bindVoices([sure, { rewards: [0, 20, 10], same: [-1] }], 40)).toEqual([1, 2]);
});

test('another voice does not put a lone face off screen', () => {
  expect(
    bindVoices(
      [
        { rewards: [0, 100], same: [] },
        { rewards: [0, 10], same: [-1] },
      ],
      40,
    ),
  ).toEqual([1, 1]);
});

test('strong evidence outvotes the voices', () => {
  const sure = { rewards: [0, 100, 20], same: [] };
  expect(bindVoices([sure, { rewards: [0, 10, 90], same: [1] }], 40)).toEqual([1, 2]);
});

test('nothing to bind', () => {
  expect(bindVoices([], 40)).toEqual([]);
});
