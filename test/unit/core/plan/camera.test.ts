import { describe, expect, test } from 'vitest';
import { defaultCameraOptions } from '../../../../src/core/plan/camera.js';
import { cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import type { Plan } from '../../../../src/schema/plan.js';
import { type Person, planStage } from './invented-scene.js';
import { ruleScenes } from './rule-scenes.js';

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

describe('a camera on a tripod', () => {
  const keys = (plan: Plan) => plan.segments[0]!.panels[0]!.keyframes;

  test('stands still while a speaker leans to and fro, and while a head is out for a moment', () => {
    const { stage } = ruleScenes.leaning;
    expect(keys(planStage(stage))).toHaveLength(1);
    const at = (sec: number) => (sec > 3 && sec < 3.4 ? 1200 : 900);
    expect(keys(walk(sec => ({ x: at(sec), y: 500 }), 8, 'lock'))).toHaveLength(1);
  });

  test('makes one eased move to where the head has gone for good', () => {
    const at = (sec: number) => 700 + 500 * Math.min(1, Math.max(0, sec - 4));
    const plan = walk(sec => ({ x: at(sec), y: 500 }), 10, 'lock');
    expect(plan.segments).toHaveLength(1);
    const path = middles(plan);
    const moving = path.flatMap((x, i) => (i && Math.abs(x - path[i - 1]!) > 0.01 ? [i] : []));
    expect(moving.length).toBeGreaterThan(10);
    expect(moving.at(-1)! - moving[0]! + 1).toBe(moving.length);
    expect(turns(path)).toBe(0);
    const fastest = Math.max(...path.slice(1).map((x, i) => Math.abs(x - path[i]!)));
    expect(Math.abs(path[moving[0]!]! - path[moving[0]! - 1]!)).toBeLessThan(fastest / 4);
    expect(wholeFace(plan, at)).toBe(true);
  });

  test('cuts to a head that is far away at once', () => {
    const at = (sec: number) => (sec < 4 ? 350 : 1550);
    const path = middles(walk(sec => ({ x: at(sec), y: 500 }), 8, 'lock'));
    const jumps = path.slice(1).filter((x, i) => Math.abs(x - path[i]!) > 1);
    expect(jumps).toHaveLength(1);
  });
});

describe('how a head is framed', () => {
  const windowOn = (at: { x: number; y: number }, size: number, request = {}) =>
    cropAtFrame(planStage({ people: [{ at, size, speaks: [[0, 4]] }], durationSec: 4 }, request), 50)
      .panels[0]!.source;

  test.each([60, 150, 300])(
    'the eyes of a head of %s pixels are a third from the top where there is room',
    size => {
      const { y, height } = windowOn({ x: 960, y: 540 }, size);
      const eyes = (540 - 0.1 * size - y) / height;
      // A window as high as the source cannot go up or down.
      if (height < 1080) expect(eyes).toBeCloseTo(1 / 3, 1);
      const square = windowOn({ x: 960, y: 560 }, size, { aspect: { width: 21, height: 9 } });
      expect((560 - 0.1 * size - square.y) / square.height).toBeCloseTo(1 / 3, 1);
    },
  );

  test('neither hair nor chin of a large head is cut', () => {
    for (const y of [300, 450, 600, 700]) {
      const window = windowOn({ x: 960, y }, 420, { aspect: { width: 21, height: 9 } });
      expect(window.y).toBeLessThanOrEqual(Math.max(0, y - 0.6 * 420));
      expect(window.y + window.height).toBeGreaterThanOrEqual(Math.min(1080, y + 0.6 * 420));
    }
  });

  test('who sits on one side has room on the other, who sits in the middle is in the middle', () => {
    const offset = (x: number) => {
      const window = windowOn({ x, y: 500 }, 200);
      return (window.x + window.width / 2 - x) / window.width;
    };
    expect(offset(450)).toBeCloseTo(0.06, 2);
    expect(offset(1470)).toBeCloseTo(-0.06, 2);
    expect(offset(960)).toBeCloseTo(0, 2);
  });

  test('a punch-in comes nearer by 8 % at most, slowly, and only when asked for', () => {
    const stage = {
      people: [{ at: { x: 900, y: 500 }, size: 200, speaks: [[0, 20]] as [number, number][] }],
      durationSec: 20,
    };
    const [first, last, ...more] = planStage(stage, { punchIn: true }).segments[0]!.panels[0]!.keyframes;
    expect(more).toEqual([]);
    expect(last!.width / first!.width).toBeGreaterThanOrEqual(0.92 - 1e-3);
    expect(last!.timestamp - first!.timestamp).toBeGreaterThan(5);
    expect(planStage(stage).segments[0]!.panels[0]!.keyframes).toHaveLength(1);
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
    // The jerk is finite: acceleration changes gradually too.
    const changes = jerks.slice(1).map((jerk, i) => Math.abs(jerk - jerks[i]!));
    expect(Math.max(...changes)).toBeLessThan(6);
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
