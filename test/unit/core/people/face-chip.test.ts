import { describe, expect, test } from 'vitest';
import { chipPlaceOf, chipPx, partOfChip, turnChip } from '../../../../src/core/people/face-chip.js';
import type { PixelPoint } from '../../../../src/schema/geometry.js';

/** Where dlib's mean face, in 150 pixels, has eyes, nose and corners of the mouth. */
const mean: readonly PixelPoint[] = [
  { x: 47.55, y: 46.6 },
  { x: 100.48, y: 46.6 },
  { x: 74.01, y: 76.56 },
  { x: 50.41, y: 103.02 },
  { x: 97.61, y: 103.02 },
];
/** The mean face in a frame: turned about the chip's middle, scaled, moved. */
const placed = (turn: number, scale: number, to: PixelPoint) =>
  mean.map(({ x, y }) => {
    const [dx, dy] = [scale * (x - chipPx / 2), scale * (y - chipPx / 2)];
    return {
      x: to.x + Math.cos(turn) * dx - Math.sin(turn) * dy,
      y: to.y + Math.sin(turn) * dx + Math.cos(turn) * dy,
    };
  });

describe('where a face lies', () => {
  test.each([
    [0, 1, { x: 75, y: 75 }],
    [0.4, 0.3, { x: 500, y: 40 }],
    [-2.5, 4, { x: 10, y: 900 }],
  ])('is found for a face turned by %d and scaled by %d', (turn, scale, to) => {
    const place = chipPlaceOf(placed(turn, scale, to))!;
    expect(place.middle.x).toBeCloseTo(to.x, 6);
    expect(place.middle.y).toBeCloseTo(to.y, 6);
    expect(Math.hypot(place.across.x, place.across.y)).toBeCloseTo(scale, 6);
    expect(Math.atan2(place.across.y, place.across.x)).toBeCloseTo(turn, 6);
    expect(place.misfitPx).toBeCloseTo(0, 6);
  });

  test('a face that looks aside fits less, whatever its size', () => {
    const aside = (scale: number) =>
      placed(0.2, scale, { x: 300, y: 300 }).map((point, i) =>
        i === 2 ? { x: point.x + 20 * scale, y: point.y } : point,
      );
    const misfits = [0.5, 3].map(scale => chipPlaceOf(aside(scale))!.misfitPx);
    expect(misfits[0]).toBeGreaterThan(5);
    expect(misfits[1]).toBeCloseTo(misfits[0]!, 6);
  });

  test('is not known without five landmarks that differ', () => {
    expect(chipPlaceOf(mean.slice(0, 4))).toBe(undefined);
    expect(chipPlaceOf(mean.map(() => ({ x: 3, y: 4 })))).toBe(undefined);
  });
});

test.each([
  [0, 1],
  [0.5, 0.4],
  [-1.3, 2.2],
])('the chip of a picture turned by %d and scaled by %d is upright', (turn, scale) => {
  const to = { x: 400, y: 300 };
  const place = chipPlaceOf(placed(turn, scale, to))!;
  const { box, size } = partOfChip(place);
  // Colours that tell where in the upright chip they are.
  const colour = (x: number, y: number): readonly [number, number, number] => {
    const [dx, dy] = [(x - to.x) / scale, (y - to.y) / scale];
    const u = Math.cos(turn) * dx + Math.sin(turn) * dy + chipPx / 2;
    const v = -Math.sin(turn) * dx + Math.cos(turn) * dy + chipPx / 2;
    return [u, v, 100 + u / 4 - v / 4];
  };
  const part = new Float32Array(3 * size.width * size.height);
  for (let j = 0; j < size.height; j++)
    for (let i = 0; i < size.width; i++) {
      const [x, y] = [
        box.x + ((i + 0.5) * box.width) / size.width,
        box.y + ((j + 0.5) * box.height) / size.height,
      ];
      part.set(colour(x, y), 3 * (j * size.width + i));
    }
  const chip = turnChip(part, place);
  const area = chipPx * chipPx;
  for (const [u, v] of [
    [0, 0],
    [149, 0],
    [75, 75],
    [3, 149],
    [149, 149],
    [47, 46],
  ] as const) {
    const at = v * chipPx + u;
    expect(Math.abs(chip[at]! - (u + 0.5))).toBeLessThanOrEqual(1);
    expect(Math.abs(chip[area + at]! - (v + 0.5))).toBeLessThanOrEqual(1);
    expect(Math.abs(chip[2 * area + at]! - (100 + u / 4 - v / 4))).toBeLessThanOrEqual(1);
  }
});
