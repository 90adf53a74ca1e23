import { expect, test } from 'vitest';
import { cropForFace, nominalCrop, outputSize } from '../../../../src/core/plan/layout.js';

const source = { width: 1920, height: 1080 };

test('both sides of the output are even, whatever the aspect', () => {
  expect(outputSize({ aspect: { width: 9, height: 16 }, outputHeight: 1920 }, source)).toEqual({
    width: 1080,
    height: 1920,
  });
  for (const width of [1, 3, 7, 9, 21, 100]) {
    const size = outputSize({ aspect: { width, height: 10 }, outputHeight: 721 }, source);
    expect([size.width % 2, size.height % 2]).toEqual([0, 0]);
  }
});

test.each([
  [{ width: 640, height: 360 }, '720x1280'],
  [{ width: 1280, height: 720 }, '720x1280'],
  [{ width: 1920, height: 1080 }, '1080x1920'],
  [{ width: 3840, height: 2160 }, '2160x3840'],
])('%o gets an output of a usual size near its own', (size, expected) => {
  const { width, height } = outputSize({ aspect: { width: 9, height: 16 }, outputHeight: 'auto' }, size);
  expect(`${width}x${height}`).toBe(expected);
  expect(outputSize({ aspect: { width: 16, height: 9 }, outputHeight: 'auto' }, source)).toEqual(source);
});

test('the nominal window is the largest of its aspect', () => {
  expect(nominalCrop(source, { width: 1080, height: 1920 })).toEqual({ width: 607.5, height: 1080 });
  expect(nominalCrop(source, { width: 1920, height: 1080 })).toEqual(source);
  expect(nominalCrop(source, { width: 2100, height: 900 })).toMatchObject({ width: 1920 });
});

test('a small source is brought a little closer all the same', () => {
  const small = { width: 640, height: 360 };
  const crop = cropForFace(15, { source: small, output: { width: 1080, height: 1920 } });
  expect(small.height / crop.height).toBeCloseTo(1.25, 6);
});
