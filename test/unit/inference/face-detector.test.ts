import { describe, expect, test } from 'vitest';
import { letterboxOf } from '../../../src/core/letterbox.js';
import { inputSizeOf, toDisplay } from '../../../src/inference/face-detector.js';

describe('inputSizeOf', () => {
  test.each([
    [1920, 1080, 640, 384],
    [640, 360, 640, 384],
    [1080, 1920, 384, 640],
    [640, 480, 640, 480],
    [512, 512, 640, 640],
    [1998, 1080, 640, 352],
    [3000, 20, 640, 32],
  ])('%d×%d goes into %d×%d', (width, height, inputWidth, inputHeight) => {
    expect(inputSizeOf({ width, height })).toEqual({ width: inputWidth, height: inputHeight });
  });

  test('another long side keeps the aspect', () => {
    expect(inputSizeOf({ width: 1920, height: 1080 }, 320)).toEqual({ width: 320, height: 192 });
  });

  test.each([0, 100, -32, Number.NaN])('a long side of %d is refused', longSide => {
    expect(() => inputSizeOf({ width: 640, height: 360 }, longSide)).toThrow(RangeError);
  });
});

test('toDisplay undoes the letterbox, landmarks included', () => {
  const display = { width: 1280, height: 720 };
  const face = toDisplay(
    { x: 100, y: 112, width: 20, height: 40, confidence: 0.7, landmarks: [{ x: 105, y: 120 }] },
    letterboxOf(display, { width: 640, height: 384 }),
  );
  expect(face).toEqual({
    x: 200,
    y: 200,
    width: 40,
    height: 80,
    confidence: 0.7,
    landmarks: [{ x: 210, y: 216 }],
  });
});
