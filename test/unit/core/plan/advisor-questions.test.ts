import { expect, test } from 'vitest';
import { advisorQuestions } from '../../../../src/core/plan/advisor-questions.js';
import { overrideOfAdvice } from '../../../../src/core/plan/override-of-advice.js';
import { planCrop } from '../../../../src/core/plan/plan.js';
import { completePlanRequest, type Override, type PlanRequest } from '../../../../src/schema/plan.js';
import type { AnalysisParts } from '../../../../src/schema/result.js';
import { analyse, checked, faceId, type Person, type Stage } from './invented-scene.js';

const speech = [{ startSec: 0, endSec: 10_000 }];
const ask = (parts: AnalysisParts, request: Partial<PlanRequest> = {}, questionsPerMin = 10) =>
  advisorQuestions(parts, completePlanRequest(request), { questionsPerMin, speech });
const person = (x: number, likely: number | ((sec: number) => number), size = 250): Person => ({
  at: { x, y: 480 },
  size,
  speaks: [[0, 10_000]],
  confidence: typeof likely === 'number' ? () => likely : likely,
});
const unsure: Stage = { people: [person(1470, 0.5), person(450, 0.55)], durationSec: 10 };

test('two who may both be the one who speaks are asked about; one who surely speaks is not', () => {
  const [question, ...more] = ask(analyse(unsure));
  expect(more).toEqual([]);
  expect(question).toMatchObject({ sceneId: 0, startSec: 0, endSec: 10, why: ['unsure'], timeSec: 5 });
  const sure: Stage = { ...unsure, people: [person(450, 0.98), { ...person(1470, 0.02), speaks: [] }] };
  expect(ask(analyse(sure))).toEqual([]);
  expect(ask(analyse({ ...unsure, people: [person(450, 0.5)] }))).toEqual([]);
});

test('faces are numbered from left to right, with boxes in shares of the picture', () => {
  const [question] = ask(analyse(unsure));
  expect(question!.faces.map(({ number, faceId: id }) => [number, id])).toEqual([
    [1, faceId(1)],
    [2, faceId(0)],
  ]);
  expect(question!.faces[0]!.box).toEqual({ x: 0.186, y: 0.329, width: 0.098, height: 0.231 });
});

test('what is offered is what the planner may use, what it planned among it', () => {
  const [all] = ask(analyse(unsure));
  expect(all!.layouts).toEqual(['single', 'stack', 'group', 'fit']);
  expect(all!.layouts).toContain(all!.planned);
  const [few] = ask(analyse(unsure), { layouts: ['stack'] });
  expect(few!.layouts).toEqual(['single', 'stack', 'fit']);
  const screen = { x: 760, y: 100, width: 480, height: 700 };
  const content: Stage['content'] = {
    rectangles: [{ kind: 'screen', confidence: 0.9, start_frame: 0, end_frame: 250, ...screen }],
  };
  const [slides] = ask(analyse({ ...unsure, content }));
  expect(slides!.why).toEqual(['unsure', 'screen']);
  expect(slides!.layouts).toContain('screen-speaker');
  expect(slides!.screen).toMatchObject({ width: 0.25 });
});

test('a crowd is difficult though nobody speaks; at most eight of it have numbers', () => {
  const people = Array.from({ length: 10 }, (_, i) => ({ ...person(150 + 180 * i, 0.01, 120), speaks: [] }));
  const [question] = ask(analyse({ people, durationSec: 6 }));
  expect(question!.why).toEqual(['crowd']);
  expect(question!.faces.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

test('of many difficult scenes the hardest are asked about, so many per started minute', () => {
  const likely = (sec: number) => (sec < 20 ? 0.75 : sec < 40 ? 0.5 : 0.65);
  const stage: Stage = {
    people: [person(450, likely), person(1470, likely)],
    durationSec: 60,
    cuts: [20, 40],
  };
  const scenes = (questionsPerMin: number) =>
    ask(analyse(stage), {}, questionsPerMin).map(({ sceneId }) => sceneId);
  expect(scenes(10)).toEqual([1, 2, 0]);
  expect(scenes(2)).toEqual([1, 2]);
  expect(scenes(0)).toEqual([]);
});

test('words of the stretch come with the question, and no more of them than it may hold', () => {
  const words = (word: string, count: number): AnalysisParts => ({
    ...analyse({ ...unsure, durationSec: 20, cuts: [10] }),
    transcription: {
      ...{ model: 'm', language: 'en', text: '', segments: [] },
      words: Array.from({ length: count }, (_, i) => ({
        ...{ word: `${word}${i}`, start: (20 * i) / count, end: (20 * (i + 1)) / count, confidence: 1 },
      })),
    },
  });
  expect(ask(words('w', 4)).find(({ sceneId }) => sceneId === 1)!.words).toBe('w2 w3');
  expect(ask(words('long', 2000))[0]!.words).toHaveLength(1200);
  expect(ask(analyse(unsure))[0]).not.toHaveProperty('words');
});

test('nothing is asked where the request or an override says what is shown', () => {
  const parts = analyse(unsure);
  expect(ask(parts, { layout: 'stack' })).toEqual([]);
  expect(ask(parts, { camera: 'center' })).toEqual([]);
  expect(ask(parts, { overrides: [{ startSec: 0, endSec: 10, layout: 'group' }] })).toEqual([]);
  const [rest, ...more] = ask(parts, { overrides: [{ startSec: 0, endSec: 6, faceId: faceId(0) }] });
  expect(rest).toMatchObject({ startSec: 6, endSec: 10 });
  expect(more).toEqual([]);
});

test('people to ignore have no number', () => {
  expect(ask(analyse(unsure), { subjects: [{ personId: faceId(1), role: 'ignore' }] })).toEqual([]);
});

test('an answer becomes an override: panels in the order on screen, as many faces as the layout has', () => {
  const [question] = ask(analyse(unsure));
  const says = { reason: 'they argue', confidence: 0.7 };
  const made = (layout: 'single' | 'stack' | 'fit', faces: number[]) =>
    overrideOfAdvice(question!, { layout, faces, ...says });
  const common = { startSec: 0, endSec: 10, source: 'advisor', ...says };
  expect(made('stack', [2, 1])).toEqual({ ...common, layout: 'stack', faceIds: [faceId(1), faceId(0)] });
  expect(made('single', [2, 1])).toEqual({ ...common, layout: 'single', faceIds: [faceId(0)] });
  expect(made('fit', [1])).toEqual({ ...common, layout: 'fit' });
});

test('a person wins over an advisor in whichever order they come, and without the advice the plan is what it was', () => {
  const parts = analyse(unsure);
  const plan = (overrides: Override[]) => checked(planCrop(parts, completePlanRequest({ overrides })));
  const advised: Override = {
    startSec: 0,
    endSec: 10,
    layout: 'fit',
    source: 'advisor',
    reason: 'r',
    confidence: 1,
  };
  const corrected: Override = { startSec: 2, endSec: 4, faceId: faceId(0) };
  const shown = (overrides: Override[]) =>
    plan(overrides).segments.map(({ layout, start_frame }) => [start_frame, layout]);
  const expected = [
    [0, 'fit'],
    [50, 'single'],
    [100, 'fit'],
  ];
  expect(shown([advised, corrected])).toEqual(expected);
  expect(shown([corrected, advised])).toEqual(expected);
  expect(plan([advised].filter(({ source }) => source !== 'advisor'))).toEqual(plan([]));
});

test('reason and confidence belong to an advisor', () => {
  const override = { startSec: 0, endSec: 1, layout: 'fit' as const };
  expect(() => completePlanRequest({ overrides: [{ ...override, reason: 'because' }] })).toThrow(
    'reason and confidence go with source',
  );
  expect(completePlanRequest({ overrides: [override] }).overrides).toEqual([override]);
});
