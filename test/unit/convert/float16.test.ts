import { expect, test } from 'vitest';
import { toFloat16 } from '../../../src/convert/float16.js';

/** The number that a bit pattern stands for. */
function numberOf(pattern: number): number {
  const exponent = (pattern >> 10) & 31;
  const fraction = (pattern & 1023) / 1024;
  const size = exponent === 0 ? fraction * 2 ** -14 : (1 + fraction) * 2 ** (exponent - 15);
  if (exponent === 31) return fraction ? Number.NaN : pattern >> 15 ? -Infinity : Infinity;
  return pattern >> 15 ? -size : size;
}
const all = Array.from({ length: 0x10000 }, (_, pattern) => pattern).filter(
  pattern => !Number.isNaN(numberOf(pattern)),
);

test('numbers that a half can hold are kept', () => {
  expect([...toFloat16(Float32Array.from(all, numberOf))]).toEqual(all);
});

test('others go to the nearest, and half way to the even one', () => {
  // Positive finite patterns in order of size: between each two lies their middle.
  const finite = all.filter(pattern => pattern < 0x7c00);
  for (const pattern of finite.slice(0, -1)) {
    const [low, high] = [numberOf(pattern), numberOf(pattern + 1)];
    const middle = (low + high) / 2;
    const even = pattern % 2 === 0 ? pattern : pattern + 1;
    const [below, above] = [low + (high - low) * 0.4, low + (high - low) * 0.6];
    expect([...toFloat16(Float32Array.of(below, middle, above))]).toEqual([pattern, even, pattern + 1]);
  }
});

test('what is too large becomes infinite, what is no number stays none', () => {
  const [up, over, under, none] = toFloat16(Float32Array.of(65519, 65520, -1e9, Number.NaN));
  expect([up, over, under]).toEqual([0x7bff, 0x7c00, 0xfc00]);
  expect(numberOf(none!)).toBeNaN();
});
