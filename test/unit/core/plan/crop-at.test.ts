import { expect, test } from 'vitest';
import { cropAt, cropAtFrame } from '../../../../src/core/plan/crop-at.js';
import { planStage } from './invented-scene.js';

const walker = {
  people: [
    {
      at: (sec: number) => ({ x: 400 + 150 * sec, y: 500 }),
      size: 200,
      speaks: [[0, 6]] as [number, number][],
    },
  ],
  durationSec: 6,
  cuts: [3],
};

test('a time and its frame give the same view', () => {
  const plan = planStage(walker, { camera: 'follow' });
  for (let frame = 0; frame < 150; frame++) {
    const byTime = cropAt(plan, frame / 25);
    const byFrame = cropAtFrame(plan, frame);
    expect(byTime.panels[0]!.source.x).toBeCloseTo(byFrame.panels[0]!.source.x, 1);
    expect(byTime.panels[0]!.faceId).toBe(byFrame.panels[0]!.faceId);
  }
});

test('the view changes with the frame of the cut, not before it', () => {
  const plan = planStage(walker);
  const id = (sec: number) => cropAt(plan, sec).panels[0]!.faceId;
  expect([id(2.99), id(3), id(2.9999)]).toEqual([0, 100, 100]);
});

test('windows lie on the straight line between keyframes', () => {
  const plan = planStage(walker, { camera: 'follow' });
  const [a, b] = plan.segments[0]!.panels[0]!.keyframes;
  const middle = (a!.frame_number + b!.frame_number) / 2;
  expect(cropAtFrame(plan, middle).panels[0]!.source.x).toBeCloseTo((a!.x + b!.x) / 2, 6);
});

test('times outside the plan give its first and last view', () => {
  const plan = planStage(walker, { camera: 'follow' }, { firstFrame: 25, frameCount: 100 });
  expect(cropAt(plan, 0)).toEqual(cropAtFrame(plan, 25));
  expect(cropAt(plan, 99)).toEqual(cropAtFrame(plan, 124));
});

test('a fit view says what fills the rest', () => {
  const view = cropAt(planStage({ people: [], durationSec: 2 }, { background: 'black' }), 1);
  expect(view).toMatchObject({ layout: 'fit', background: 'black' });
  expect(view.panels[0]).not.toHaveProperty('faceId');
});

test('a plan without segments is refused', () => {
  expect(() => cropAt(planStage({ people: [], durationSec: 0 }), 0)).toThrow(RangeError);
});
