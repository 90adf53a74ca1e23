import { expect, test } from 'vitest';
import { bestPath } from '../../../src/core/viterbi.js';

const staying = (price: number) => (from: number, to: number) => (from === to ? 0 : price);
const rewards = Float64Array.from([1, 0, 1, 0, 0, 3, 1, 0, 1, 0]);

test('without cost each step takes what pays most', () => {
  expect([...bestPath(rewards, 2, staying(0))]).toEqual([0, 0, 1, 0, 0]);
});

test('a detour is taken only when it pays for both changes', () => {
  expect([...bestPath(rewards, 2, staying(2))]).toEqual([0, 0, 0, 0, 0]);
  expect([...bestPath(rewards, 2, staying(1.4))]).toEqual([0, 0, 1, 0, 0]);
});

test('an impossible state is never on the path', () => {
  const path = bestPath(Float64Array.from([-Infinity, 0, 9, -Infinity, -Infinity, 0]), 2, staying(50));
  expect([...path]).toEqual([1, 0, 1]);
});

test('it earns as much as the best of all paths', () => {
  const random = Float64Array.from({ length: 15 }, (_, i) => Math.sin(i * 12.9898) * 3);
  const cost = (from: number, to: number) => Math.abs(from - to) * 0.7;
  const earned = (path: readonly number[]) =>
    path.reduce((sum, s, t) => sum + random[t * 3 + s]! - (t ? cost(path[t - 1]!, s) : 0), 0);
  const all = Array.from({ length: 3 ** 5 }, (_, n) =>
    Array.from({ length: 5 }, (_, t) => Math.floor(n / 3 ** t) % 3),
  );
  expect(earned([...bestPath(random, 3, cost)])).toBeCloseTo(Math.max(...all.map(earned)), 9);
});

test('no steps, no path', () => {
  expect(bestPath(new Float64Array(0), 3, staying(1))).toHaveLength(0);
});
