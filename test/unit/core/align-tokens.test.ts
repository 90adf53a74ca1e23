import { expect, test } from 'vitest';
import { alignTokens } from '../../../src/core/align-tokens.js';

/** Weights of one head that look at some frames. */
const looking = (frames: number, from: number, to: number) =>
  Float32Array.from({ length: frames }, (_, i) => (i >= from && i <= to ? 1 : 0));
const heads = (...rows: Float32Array[]) => Float32Array.from(rows.flatMap(row => [...row]));

test('tokens get the frames that were looked at', () => {
  const attention = [looking(60, 0, 19), looking(60, 20, 34), looking(60, 35, 59)];
  expect(alignTokens(attention, 60)).toEqual([
    { firstFrame: 0, lastFrame: 19 },
    { firstFrame: 20, lastFrame: 34 },
    { firstFrame: 35, lastFrame: 59 },
  ]);
});

test('a head that looks elsewhere is outvoted, however large its weights are', () => {
  const odd = looking(40, 0, 3).map(value => 50 * value);
  const attention = [
    heads(looking(40, 0, 19), looking(40, 0, 19), odd),
    heads(looking(40, 20, 39), looking(40, 20, 39), odd),
  ];
  expect(alignTokens(attention, 40)[1]!.firstFrame).toBe(20);
});

test('tokens never go back, and every frame has one', () => {
  const attention = [looking(30, 20, 29), looking(30, 0, 9), looking(30, 10, 19)];
  const aligned = alignTokens(attention, 30);
  expect(aligned[0]!.firstFrame).toBe(0);
  expect(aligned.at(-1)!.lastFrame).toBe(29);
  for (const [i, token] of aligned.slice(1).entries())
    expect(token.firstFrame).toBeGreaterThanOrEqual(aligned[i]!.lastFrame);
});

test('more tokens than frames share them; nothing has none', () => {
  expect(alignTokens([looking(1, 0, 0), looking(1, 0, 0)], 1)).toHaveLength(2);
  expect(alignTokens([], 10)).toEqual([]);
});
