import { expect, test } from 'vitest';
import { callAdvise } from '../../../src/reframer/call-advise.js';
import type { AdvisorQuestion } from '../../../src/schema/advice.js';
import type { Advisor } from '../../../src/schema/advisor.js';
import { completePlanRequest } from '../../../src/schema/plan.js';
import { analyse } from '../core/plan/invented-scene.js';

const people = [450, 1470].map(x => ({ at: { x, y: 480 }, speaks: [[0, 60]] as [number, number][] }));
const scenes = (count: number) => ({
  parts: analyse({
    people: people.map(person => ({ ...person, confidence: () => 0.5 })),
    durationSec: 5 * count,
    cuts: Array.from({ length: count - 1 }, (_, i) => 5 * (i + 1)),
  }),
});
const right = { layout: 'stack', faces: [], reason: 'both', confidence: 1 };
const ask = (advisor: Advisor, count = 1, options = {}) =>
  callAdvise(
    { result: scenes(count), request: completePlanRequest(), advisor },
    { questionsPerMin: 60, ...options },
  );

test('overrides come in the order of their scenes, each for its own stretch', async () => {
  const asked: AdvisorQuestion[] = [];
  const { overrides } = await ask(async question => {
    asked.push(question);
    return right;
  }, 3);
  expect(asked).toHaveLength(3);
  expect(overrides.map(({ startSec, endSec }) => [startSec, endSec])).toEqual([
    [0, 5],
    [5, 10],
    [10, 15],
  ]);
});

test('at most two questions a minute unless more are allowed', async () => {
  const { notes } = await ask(async () => right, 3, { questionsPerMin: undefined });
  expect(notes[0]).toBe('Difficult scenes: 2; answers of the advisor that are used: 2.');
});

test('an advisor that throws before it gives a promise keeps the plan', async () => {
  const { overrides, notes } = await ask(() => {
    throw new Error('broken');
  });
  expect(overrides).toEqual([]);
  expect(notes[1]).toContain('the plan stays, because of this: broken');
});

test('one that does not listen to its signal is left behind', async () => {
  const { notes } = await ask(() => new Promise(() => {}), 1, { timeoutSec: 0.05 });
  expect(notes[1]).toContain('no answer within 0.05 s');
});

test('an advisor that fails three times in a row is not asked again; one that recovers is', async () => {
  let calls = 0;
  const gone = await ask(async () => void calls++, 5);
  expect(calls).toBe(3);
  expect(gone.notes.at(-1)).toBe('The advisor failed 3 times in a row; 2 further scenes stay as planned.');
  calls = 0;
  const moody = await ask(async () => (calls++ % 2 ? right : undefined), 5);
  expect(calls).toBe(5);
  expect(moody.overrides).toHaveLength(2);
});

test('huge answers of an advisor in the same page are refused without being read through', async () => {
  const huge = { ...right, faces: new Array(2 ** 32 - 1) };
  expect((await ask(async () => huge)).notes[1]).toContain('faces is no list of at most 4');
  const long = { ...right, reason: 'x'.repeat(10_000_000) };
  expect((await ask(async () => long)).notes[1]).toContain('reason is longer than 200 characters');
});

test('where nothing is difficult nobody is asked, and the note says so', async () => {
  const advisor = () => Promise.reject(new Error('asked'));
  const result = { parts: analyse({ people: people.slice(1), durationSec: 5 }) };
  expect(await callAdvise({ result, request: completePlanRequest(), advisor }, {})).toEqual({
    overrides: [],
    notes: ['No scene was difficult enough to ask the advisor about.'],
  });
});

test('a question goes without its picture where no frame can be read, and a note says so', async () => {
  const advisor: Advisor = async (_question, { picture }) => {
    expect(await picture!()).toBeUndefined();
    return right;
  };
  const takeFrame = () => Promise.reject(new Error('unreadable'));
  const task = { result: scenes(1), request: completePlanRequest(), advisor, takeFrame };
  const { overrides, notes } = await callAdvise(task, {});
  expect(overrides).toHaveLength(1);
  expect(notes[1]).toContain('asked without a picture, because of this: unreadable');
  await ask(async (_question, call) => {
    expect(call).not.toHaveProperty('picture');
    return right;
  });
});

test('wrong options are refused', async () => {
  await expect(ask(async () => right, 1, { timeoutSec: 0 })).rejects.toThrow('timeoutSec');
  await expect(ask(async () => right, 1, { timeoutSec: 1e9 })).rejects.toThrow('timeoutSec');
  await expect(ask(async () => right, 1, { questionsPerMin: -1 })).rejects.toThrow('questionsPerMin');
});
