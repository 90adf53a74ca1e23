import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type CropRequest, createCropPlanner, lowerFace } from '../../../src/core/face-crops.js';

const box = { x: 100, y: 80, width: 60, height: 80 };
const plan = (frameRateHz: number, frames: number, boxOf = (_: number) => box) => {
  const planner = createCropPlanner(0);
  const requests: CropRequest[] = [];
  const delays: number[] = [];
  for (let i = 0; i < frames; i++) {
    const settled = planner.push({ frameNumber: i, timeSec: i / frameRateHz }, boxOf(i));
    requests.push(...settled);
    for (const { gridFrame } of settled) delays.push(i / frameRateHz - gridFrame / 25);
  }
  requests.push(...planner.finish());
  return { requests, delays };
};

test('at 25 frames per second every frame gives its own crop, once six more are known', () => {
  const { requests, delays } = plan(25, 40);
  expect(requests.map(r => [r.gridFrame, r.frameNumber])).toEqual(
    Array.from({ length: 40 }, (_, i) => [i, i]),
  );
  for (const delay of delays) expect(delay).toBeCloseTo(6 / 25, 9);
});

test('other frame rates are met by the nearest frame, without gaps', () => {
  for (const rate of [20, 23.976, 29.97, 60]) {
    const { requests } = plan(rate, Math.round(rate * 2));
    requests.forEach((request, i) => {
      expect(request.gridFrame).toBe(i);
      expect(Math.abs(request.frameNumber / rate - request.gridFrame / 25)).toBeLessThanOrEqual(
        // The last crop may lie up to half a grid frame after the last source frame.
        0.5 / rate + (i === requests.length - 1 ? 0.02 : 1e-9),
      );
    });
    expect(requests.length).toBeGreaterThanOrEqual(49);
  }
});

test('boxes are linear in time and one wild box leaves no trace', () => {
  const moving = plan(50, 100, i => ({ ...box, x: 100 + i })).requests;
  // Two source frames per grid frame: the middle moves two pixels each.
  expect(moving[25]!.box.x - moving[20]!.box.x).toBeCloseTo(10, 9);
  const steady = plan(25, 40).requests.map(r => r.box);
  expect(
    plan(25, 40, i => (i === 20 ? { ...box, x: 400, width: 300 } : box)).requests.map(r => r.box),
  ).toEqual(steady);
});

test('the ends of a stretch are not bent', () => {
  const { requests } = plan(25, 30);
  expect(requests[0]!.box).toEqual(requests[15]!.box);
  expect(requests.at(-1)!.box).toEqual(requests[15]!.box);
});

test('a stretch of one frame has one crop, an empty one none', () => {
  expect(plan(25, 1).requests).toHaveLength(1);
  expect(createCropPlanner(0).finish()).toEqual([]);
});

test('pixels may go as soon as no crop can ask for them', () => {
  const planner = createCropPlanner(0);
  expect(planner.oldestFrameNumber).toBeUndefined();
  for (let i = 0; i < 20; i++) planner.push({ frameNumber: i, timeSec: i / 25 }, box);
  expect(planner.oldestFrameNumber).toBe(14);
});

test('the lower face is cut where the reference cuts it, to the pixel', () => {
  // half = 40: padding 72, edges truncated inside the padded picture.
  expect(lowerFace(130.4, 120.6, 40)).toEqual({ x: 74 + 28, y: 80 + 28, width: 56, height: 56 });
});

const stored = new URL('../../../../shared/golden/kh_mpeg4.json', import.meta.url);
test.skipIf(!existsSync(stored))(
  'crop rectangles of a real track are the reference’s (needs ../shared)',
  () => {
    const [track] = JSON.parse(readFileSync(stored, 'utf8')).tracks;
    const { x, y, s } = track.medfilt13;
    const given: number[][] = track.crop_rects_x0y0x1y1;
    const gaps = given.map(([x0, y0, x1, y1], i) => {
      const crop = lowerFace(x[i], y[i], s[i]);
      const [left, top] = [crop.x - crop.width / 2, crop.y - crop.height / 2];
      const whole = [left, top, left + 2 * crop.width, top + 2 * crop.height];
      return Math.max(...[x0!, y0!, x1!, y1!].map((edge, k) => Math.abs(edge - whole[k]!)));
    });
    // The stored centres are rounded to four decimals, which tips one truncation of 800.
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1);
    expect(gaps.filter(gap => gap > 0).length).toBeLessThanOrEqual(1);
  },
);
