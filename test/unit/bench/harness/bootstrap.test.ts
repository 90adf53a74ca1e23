import { expect, test } from 'vitest';
import { bootstrap } from '../../../../bench/harness/bootstrap.js';
import { mulberry32 } from '../../../../bench/harness/random.js';

test('the interval of a share is that of its binomial distribution', () => {
  const hits = Array.from({ length: 400 }, (_, i) => i % 4 === 0);
  const share = (weights: Uint16Array) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return hits.reduce((sum, hit, i) => sum + (hit ? weights[i]! : 0), 0) / total;
  };
  const { value, low, high } = bootstrap(hits.length, share);
  expect(value).toBe(0.25);
  // 0.25 ± 1.96 · √(0.25 · 0.75 / 400) = 0.25 ± 0.042
  expect(low).toBeGreaterThan(0.195);
  expect(low).toBeLessThan(0.22);
  expect(high).toBeGreaterThan(0.28);
  expect(high).toBeLessThan(0.305);
  expect(bootstrap(hits.length, share)).toEqual({ value, low, high });
});

test('the generator is even and starts anew with its seed', () => {
  const random = mulberry32(7);
  const drawn = Array.from({ length: 20_000 }, random);
  const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  for (const value of drawn) counts[Math.floor(10 * value)]!++;
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(200);
  expect(mulberry32(7)()).toBe(drawn[0]);
});
