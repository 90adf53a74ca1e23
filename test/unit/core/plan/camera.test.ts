import { describe, expect, test } from 'vitest';
import { defaultCameraOptions } from '../../../../src/core/plan/camera.js';
import { cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import type { Plan } from '../../../../src/schema/plan.js';
import { type Person, planStage } from './invented-scene.js';

const stepSec = 1 / 25;
const face = { size: 200, halfWidth: 75 };
const walk = (at: Person['at'], durationSec: number, camera: 'lock' | 'follow', seen?: Person['seen']) =>
  planStage(
    { people: [{ at, size: face.size, speaks: [[0, durationSec]], ...(seen ? { seen } : {}) }], durationSec },
    { camera },
  );
const middles = (plan: Plan) =>
  Array.from({ length: plan.frame_count }, (_, frame) => {
    const { x, width } = cropAtFrame(plan, frame).panels[0]!.source;
    return x + width / 2;
  });
const wholeFace = (plan: Plan, at: (sec: number) => number) =>
  middles(plan).every((_, frame) => {
    const { source } = cropAtFrame(plan, frame).panels[0]!;
    const x = at(frame * stepSec);
    const seen =
      Math.min(x + face.halfWidth, source.x + source.width) - Math.max(x - face.halfWidth, source.x);
    return seen >= 0.9 * 2 * face.halfWidth;
  });
const turns = (values: readonly number[]) => {
  let last = 0;
  let count = 0;
  values.slice(1).forEach((value, i) => {
    const step = value - values[i]!;
    if (Math.abs(step) < 0.1) return;
    if (last && step > 0 !== last > 0) count++;
    last = step;
  });
  return count;
};

describe('a locked camera', () => {
  test('is still within a turn, however the head moves', () => {
    const plan = walk(sec => ({ x: 900 + 90 * Math.sin(3 * sec), y: 500 }), 6, 'lock');
    expect(plan.segments).toHaveLength(1);
    expect(plan.segments[0]!.panels[0]!.keyframes).toHaveLength(1);
  });

  test('goes along with a face that would leave the window', () => {
    const at = (sec: number) => 400 + 180 * sec;
    const plan = walk(sec => ({ x: at(sec), y: 500 }), 6, 'lock');
    expect(plan.segments).toHaveLength(1);
    expect(plan.segments[0]!.panels[0]!.keyframes.length).toBeGreaterThan(1);
    expect(wholeFace(plan, at)).toBe(true);
    expect(turns(middles(plan))).toBe(0);
  });

  test('is not shaken by noisy boxes of a face that fills the window', () => {
    let seed = 3;
    const noise = () => ((seed = (seed * 16807) % 2147483647) / 2147483647 - 0.5) * 60;
    const plan = planStage({
      people: [{ at: () => ({ x: 960 + noise(), y: 540 }), size: 740, speaks: [[0, 5]] }],
      durationSec: 5,
    });
    expect(plan.segments[0]!.panels[0]!.keyframes).toHaveLength(1);
  });
});

describe('a following camera', () => {
  test('rests while the face stays in the dead zone', () => {
    const swing = (0.8 * defaultCameraOptions.deadZoneRatio * (1080 * 9)) / 16;
    const plan = walk(sec => ({ x: 900 + swing * Math.sin(2 * sec), y: 500 }), 8, 'follow');
    expect(new Set(middles(plan).map(x => Math.round(x))).size).toBe(1);
  });

  test('eases, looks ahead and does not overshoot', () => {
    // One step to the side, from second 4 to second 5.
    const at = (sec: number) => 500 + 500 * Math.min(1, Math.max(0, sec - 4));
    const plan = walk(sec => ({ x: at(sec), y: 500 }), 10, 'follow');
    const path = middles(plan);
    const moving = path.findIndex((x, i) => i > 0 && Math.abs(x - path[i - 1]!) > 0.5);
    expect(moving).toBeGreaterThan(60);
    expect(moving).toBeLessThan(4.3 * 25);
    expect(turns(path)).toBe(0);
    expect(wholeFace(plan, at)).toBe(true);
    expect(path.at(-1)).toBeCloseTo(1000, -1);
    const steps = path.slice(1).map((x, i) => Math.abs(x - path[i]!));
    const jerks = steps.slice(1).map((step, i) => Math.abs(step - steps[i]!));
    expect(Math.max(...jerks)).toBeLessThan(8);
  });

  test('never moves faster than its cap, not even after a face that jumps', () => {
    const at = (sec: number) => (sec < 3 ? 400 : 1500);
    const path = middles(walk(sec => ({ x: at(sec), y: 500 }), 6, 'follow'));
    const cap = (defaultCameraOptions.maxSpeedPerSec * 1080 * 9) / 16 / 25;
    for (let i = 1; i < path.length; i++) expect(Math.abs(path[i]! - path[i - 1]!)).toBeLessThan(cap * 1.1);
  });

  test('keeps few keyframes', () => {
    const plan = walk(sec => ({ x: 500 + 80 * sec, y: 500 }), 10, 'follow');
    expect(plan.segments[0]!.panels[0]!.keyframes.length).toBeLessThan(40);
  });

  test('follows up and down in a wide window', () => {
    const at = (sec: number) => 250 + 60 * sec;
    const plan = planStage(
      { people: [{ at: sec => ({ x: 960, y: at(sec) }), size: 160, speaks: [[0, 10]] }], durationSec: 10 },
      { camera: 'follow', aspect: { width: 21, height: 9 }, outputHeight: 720 },
    );
    for (let frame = 0; frame < 250; frame++) {
      const { y, height } = cropAtFrame(plan, frame).panels[0]!.source;
      const middle = at(frame * stepSec);
      expect(middle - 80).toBeGreaterThanOrEqual(y - 16);
      expect(middle + 80).toBeLessThanOrEqual(y + height + 16);
    }
  });
});
