import { expect, test } from 'vitest';
import { assess } from '../../../../src/core/plan/assess.js';
import { planCrop } from '../../../../src/core/plan/plan.js';
import { defaultPlanRequest, type PlanRequest } from '../../../../src/schema/plan.js';
import { analyse, type Stage } from './invented-scene.js';

const duo: Stage = {
  people: [
    { at: { x: 450, y: 480 }, speaks: [[0, 4]] },
    { at: { x: 1470, y: 480 }, speaks: [[5, 10]] },
  ],
  durationSec: 10,
};
const report = (stage: Stage, request: Partial<PlanRequest> = {}) => {
  const parts = analyse(stage);
  return assess(parts, planCrop(parts, { ...defaultPlanRequest, ...request }));
};

test('a good plan frames every speaker, cuts nobody off and stands still', () => {
  expect(report(duo)).toMatchObject({
    emptyRatio: 0,
    faceCutRatio: 0,
    speakerFramedRatio: 1,
    fitRatio: 0,
    travelPerSec: 0,
    reversalsPerSec: 0,
    switchesPerMin: 6,
    lowConfidenceScenes: [],
  });
});

test('a plan that looks at nobody is found out', () => {
  expect(report(duo, { camera: 'center' })).toMatchObject({ emptyRatio: 1, speakerFramedRatio: 0 });
});

test('a plan that shows everything is found out', () => {
  expect(report(duo, { layout: 'fit' })).toMatchObject({ fitRatio: 1, emptyRatio: 0, speakerFramedRatio: 0 });
});

test('a face that the caller lets be cut off is counted', () => {
  const parts = analyse(duo);
  const plan = planCrop(parts, defaultPlanRequest);
  const [first] = plan.segments;
  first!.panels[0]!.keyframes[0]!.x = 450;
  expect(assess(parts, plan).faceCutRatio).toBeGreaterThan(0.3);
});

test('movement and its reversals are measured in window widths', () => {
  const pacing: Stage = {
    people: [{ at: sec => ({ x: 960 + 500 * Math.sin(sec), y: 500 }), size: 200, speaks: [[0, 20]] }],
    durationSec: 20,
  };
  const { travelPerSec, reversalsPerSec } = report(pacing, { camera: 'follow' });
  expect(travelPerSec).toBeGreaterThan(0.2);
  expect(reversalsPerSec).toBeGreaterThan(0.1);
  expect(reversalsPerSec).toBeLessThan(0.6);
});

test('scenes that the plan is unsure of are listed, worst first', () => {
  const crowd = [0, 1, 2, 3].map(i => ({ at: { x: 300 + 400 * i, y: 500 }, size: 150 }));
  const { lowConfidenceScenes } = report({ people: crowd, durationSec: 8, cuts: [4] });
  expect(lowConfidenceScenes.map(scene => scene.startSec).sort()).toEqual([0, 4]);
  expect(lowConfidenceScenes.every(scene => scene.confidence < 0.55)).toBe(true);
});

test('nothing to judge gives zeros', () => {
  expect(report({ people: [], durationSec: 0 })).toMatchObject({ emptyRatio: 0, fitRatio: 0 });
});
