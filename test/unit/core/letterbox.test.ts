import { expect, test } from 'vitest';
import { letterboxOf } from '../../../src/core/letterbox.js';

test('wide video is padded above and below', () => {
  expect(letterboxOf({ width: 1920, height: 1080 }, { width: 640, height: 384 })).toEqual({
    scale: 1 / 3,
    offsetX: 0,
    offsetY: 12,
    width: 640,
    height: 360,
  });
});

test('tall video is padded at the sides', () => {
  const box = letterboxOf({ width: 1080, height: 1440 }, { width: 640, height: 640 });
  expect(box).toMatchObject({ offsetX: 80, offsetY: 0, width: 480, height: 640 });
});

test('an odd padding leaves the smaller half on top, and the picture stays inside', () => {
  const box = letterboxOf({ width: 1000, height: 333 }, { width: 320, height: 192 });
  expect(box).toMatchObject({ width: 320, height: 107, offsetY: 42 });
  expect(box.offsetY + box.height).toBeLessThanOrEqual(192);
});

test('a sliver keeps at least one pixel', () => {
  expect(letterboxOf({ width: 10_000, height: 4 }, { width: 320, height: 192 }).height).toBe(1);
});
