import { describe, expect, test } from 'vitest';
import { assess } from '../../../../src/core/plan/assess.js';
import { planCrop } from '../../../../src/core/plan/plan.js';
import { defaultPlanRequest, type PlanRequest } from '../../../../src/schema/plan.js';
import { analyse, type Stage } from './invented-scene.js';
import { ruleScenes } from './rule-scenes.js';

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

describe('what a plan does badly is told', () => {
  test('views and layouts', () => {
    expect(report(duo)).toMatchObject({ viewsPerMin: 12, layoutRatios: { single: 1 }, worst: [] });
    expect(report(duo).shortestViewSec).toBeGreaterThan(4);
    const shared = report(ruleScenes.unsure.stage);
    expect(shared).toMatchObject({ layoutRatios: { stack: 1 }, speechSeenRatio: 1 });
  });

  test('the share of speech whose talker is seen is that of the probabilities', () => {
    const { speechSeenRatio, worst } = report(ruleScenes.unsure.stage, { layouts: ['single'] });
    expect(speechSeenRatio).toBeCloseTo(0.5, 2);
    expect(worst).toMatchObject([{ startSec: 0, endSec: 10, problem: 'unseen_speech' }]);
    expect(worst[0]!.badSec).toBeCloseTo(5, 0);
  });

  test('pictures that are enlarged more than twice', () => {
    const small: Stage = { ...duo, width: 640, height: 360, people: [{ at: { x: 300, y: 150 }, size: 90 }] };
    const { upscaledRatio, maxUpscale, worst } = report(small);
    expect(upscaledRatio).toBe(1);
    expect(maxUpscale).toBeGreaterThan(3.5);
    expect(worst[0]).toMatchObject({ problem: 'upscaled' });
    expect(report(duo)).toMatchObject({ upscaledRatio: 0, maxUpscale: expect.closeTo(1.78, 2) });
    expect(report(small, { outputHeight: 640 }).upscaledRatio).toBe(0);
  });

  test('a head that is turned away while its window stays', () => {
    expect(report(ruleScenes.turned.stage).backRatio).toBeCloseTo(3.2 / 12, 1);
  });

  test('bars and cut lettering that the caller asks for', () => {
    const { content } = ruleScenes.bars.stage;
    const banner = { x: 700, y: 900, width: 400, height: 60, start_frame: 0, end_frame: 500, confidence: 1 };
    const stage = {
      ...ruleScenes.bars.stage,
      content: { ...content, rectangles: [{ ...banner, kind: 'text' as const }] },
    };
    const box = { x: 300, y: 0, width: 607, height: 1080 };
    const override = (dx: number) => [{ startSec: 0, endSec: 8, box: { ...box, x: box.x + dx } }];
    expect(report(stage, { overrides: override(0) })).toMatchObject({ textCutRatio: 1, barsRatio: 0 });
    expect(report(stage, { overrides: override(-300) })).toMatchObject({ textCutRatio: 0, barsRatio: 1 });
    expect(report(stage)).toMatchObject({ barsRatio: 0 });
  });

  test('no more than five stretches, the worst first', () => {
    const turns = (odd: number): [number, number][] =>
      Array.from({ length: 8 }, (_, i): [number, number] => [4 * i, 4 * i + 1 + 0.2 * i]).filter(
        (_, i) => i % 2 === odd,
      );
    const cuts = Array.from({ length: 7 }, (_, i) => 4 * (i + 1));
    const stage = {
      people: [
        { ...duo.people[0]!, speaks: turns(0) },
        { ...duo.people[1]!, speaks: turns(1) },
      ],
      durationSec: 32,
      cuts,
    };
    const { worst } = report(stage, { camera: 'center' });
    expect(worst).toHaveLength(5);
    const bad = worst.map(({ badSec }) => badSec);
    expect(bad).toEqual([...bad].sort((a, b) => b - a));
  });
});

test('nothing to judge gives zeros', () => {
  expect(report({ people: [], durationSec: 0 })).toMatchObject({ emptyRatio: 0, fitRatio: 0 });
});
