import { expect, test } from 'vitest';
import { countCuts, type JudgedClip } from '../../../../bench/models/cuts/cut-score.js';

const clip = (facts: Partial<JudgedClip>): JudgedClip => ({
  name: 'clip',
  kind: 'made',
  durationSec: 10,
  cuts: [],
  transitions: [],
  unjudged: [],
  found: [],
  ...facts,
});

test('a boundary is right within the tolerance and serves one cut', () => {
  const near = clip({ cuts: [50, 100], found: [51, 53] });
  expect(countCuts(near, 1)).toMatchObject({ hits: 1, missed: 1, wrong: 1 });
  expect(countCuts(near, 0)).toMatchObject({ hits: 0, missed: 2, wrong: 2 });
});

test('neighbouring frames of one blended cut are one cut', () => {
  expect(countCuts(clip({ cuts: [50, 51], found: [51] }), 0)).toMatchObject({ hits: 1, missed: 0, wrong: 0 });
});

test('a transition takes one boundary, a second one is wrong', () => {
  const counts = countCuts(clip({ transitions: [[20, 40]], found: [25, 35] }), 1);
  expect(counts).toMatchObject({ transitions: 1, foundTransitions: 1, wrong: 1 });
  expect(countCuts(clip({ transitions: [[20, 40]] }), 1)).toMatchObject({ foundTransitions: 0, wrong: 0 });
});

test('where nothing is judged nothing is wrong, but a cut still counts', () => {
  expect(countCuts(clip({ unjudged: [[20, 40]], found: [25, 35, 60] }), 1).wrong).toBe(1);
  expect(countCuts(clip({ cuts: [30], unjudged: [[20, 40]], found: [30, 35] }), 1)).toMatchObject({
    hits: 1,
    wrong: 0,
  });
});
