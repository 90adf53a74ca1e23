import { describe, expect, test } from 'vitest';
import { type AttentionPoint, createAttentionFolder } from '../../../../src/core/content/attention.js';

type Rgb = readonly [number, number, number];
/** Colour of a place of the picture (0–48 × 0–27) at a moment. */
type Shade = (x: number, y: number, timeSec: number) => Rgb;

const rateHz = 25;
const wall = (x: number, y: number): Rgb => {
  const level = 0.4 + 0.12 * Math.sin(x / 2.3) * Math.cos(y / 1.7) + 0.08 * Math.sin((x + 2 * y) / 3.1);
  return [level, level * 0.95, level * 0.9];
};
/** Mean of each thumbnail pixel, by four samples. */
const thumbnailOf = (shade: Shade, timeSec: number) => {
  const data = new Float32Array(3 * 48 * 27);
  for (let i = 0; i < 48 * 27; i++)
    for (const [dx, dy] of [
      [0.25, 0.25],
      [0.75, 0.25],
      [0.25, 0.75],
      [0.75, 0.75],
    ] as const) {
      const colour = shade((i % 48) + dx, Math.floor(i / 48) + dy, timeSec);
      for (let c = 0; c < 3; c++) data[3 * i + c]! += colour[c]! / 4;
    }
  return data;
};
const samplesOf = (shade: Shade, durationSec: number, cutSec = -1) =>
  Array.from({ length: Math.round(durationSec * rateHz) }, (_, frameNumber) => ({
    ...{ frameNumber, timeSec: frameNumber / rateHz },
    cut: frameNumber === Math.round(cutSec * rateHz),
    thumbnail: thumbnailOf(shade, frameNumber / rateHz),
  }));
const pointsOf = (shade: Shade, durationSec = 4): readonly AttentionPoint[] => {
  const folder = createAttentionFolder();
  for (const sample of samplesOf(shade, durationSec)) folder.push(sample);
  return folder.points();
};
/** A ball on a ground that may move. */
const ball =
  (at: (timeSec: number) => readonly [number, number], ground: Shade = wall): Shade =>
  (x, y, timeSec) => {
    const [ballX, ballY] = at(timeSec);
    return Math.hypot(x - ballX, y - ballY) < 2.5 ? [0.9, 0.9, 0.85] : ground(x, y, timeSec);
  };
const path = (timeSec: number) =>
  [24 + 14 * Math.sin(1.3 * timeSec), 13 + 6 * Math.cos(1.9 * timeSec)] as const;
const worstError = (points: readonly AttentionPoint[]) =>
  Math.max(
    ...points.slice(2).map(({ x, y, width, height, timeSec }) => {
      const [ballX, ballY] = path(timeSec);
      return Math.hypot((x + width / 2) * 48 - ballX, (y + height / 2) * 27 - ballY);
    }),
  );

describe('the eye goes', () => {
  test('to what moves before a still camera, surely', () => {
    const points = pointsOf(ball(path));
    expect(points.length).toBeGreaterThanOrEqual(8);
    expect(worstError(points)).toBeLessThan(5);
    for (const { confidence } of points.slice(2)) expect(confidence).toBeGreaterThan(0.5);
  });

  test('to what moves before a camera that pans and zooms', () => {
    const moving: Shade = (x, y, t) =>
      wall((x - 24) * (1 + 0.05 * t) + 24 + 6 * t, (y - 13) * (1 + 0.05 * t) + 13);
    const points = pointsOf(ball(path, moving));
    expect(worstError(points)).toBeLessThan(7);
  });

  test('to what has another colour than all the rest, if nothing moves', () => {
    const apple: Shade = (x, y) => (Math.hypot(x - 36, y - 9) < 3 ? [0.8, 0.1, 0.1] : [0.5, 0.52, 0.5]);
    const last = pointsOf(apple).at(-1)!;
    expect(Math.abs((last.x + last.width / 2) * 48 - 36)).toBeLessThan(3);
    expect(Math.abs((last.y + last.height / 2) * 27 - 9)).toBeLessThan(3);
  });

  test('nowhere in an even picture', () => {
    expect(pointsOf(() => [0.5, 0.5, 0.5])).toEqual([]);
  });

  test('nowhere surely, where everything moves', () => {
    const points = pointsOf((x, y, t) => {
      const level =
        0.5 +
        0.3 * Math.sin(x * 1.1 + 9 * t * Math.sin(y * 7)) * Math.cos(y * 1.3 + 11 * t * Math.cos(x * 5));
      return [level, level, level];
    });
    for (const { confidence } of points.slice(1)) expect(confidence).toBeLessThan(0.4);
  });
});

test('a cut makes it forget', () => {
  const folder = createAttentionFolder();
  const left = ball(() => [8, 13]);
  const right = ball(t => [40 + 3 * Math.sin(9 * t), 13]);
  for (const sample of samplesOf((x, y, t) => (t < 2 ? left : right)(x, y, t), 4, 2)) folder.push(sample);
  const after = folder.points().filter(({ timeSec }) => timeSec > 2.3);
  for (const { x, width } of after) expect((x + width / 2) * 48).toBeGreaterThan(30);
});

test('it goes on from a saved state, to the number', () => {
  const samples = samplesOf(ball(path), 3);
  const whole = createAttentionFolder();
  for (const sample of samples) whole.push(sample);
  const before = createAttentionFolder();
  for (const sample of samples.slice(0, 33)) before.push(sample);
  const after = createAttentionFolder(JSON.parse(JSON.stringify(before.save())));
  for (const sample of samples.slice(33)) after.push(sample);
  expect(after.points()).toEqual(whole.points());
});
