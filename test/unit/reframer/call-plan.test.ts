import { expect, test, vi } from 'vitest';
import { createPlanTasks, type PlanTasks, planResult } from '../../../src/pipeline/plan-tasks.js';
import { createPlanCall } from '../../../src/reframer/call-plan.js';
import type { Connection } from '../../../src/rpc/connect.js';
import { completePlanRequest, type PlanRequest } from '../../../src/schema/plan.js';
import { analyse } from '../core/plan/invented-scene.js';

/** Two people in turns of 3 s. */
const conversation = (durationSec: number) => ({
  parts: analyse({
    durationSec,
    cuts: [8],
    people: [0, 1].map(p => ({
      at: (sec: number) => ({ x: 500 + 900 * p + 10 * Math.sin(sec), y: 480 }),
      speaks: Array.from({ length: durationSec / 6 }, (_, i): [number, number] => [
        6 * i + 3 * p,
        6 * i + 3 * p + 2.8,
      ]),
    })),
  }),
  range: { firstFrame: 0, frameCount: durationSec * 25 },
  size: { width: 1920, height: 1080 },
  speech: [{ startSec: 0, endSec: durationSec }],
});
const long = conversation(300);
const other = conversation(240);

/** A plan worker in this thread, behind the clone that every message is, and what was asked of it. */
function worker() {
  const tasks = createPlanTasks();
  const asked: string[] = [];
  const call = vi.fn(async (name: keyof PlanTasks, input: never) => {
    asked.push(name);
    // A turn of the event loop: whatever else the page has to do comes between.
    await new Promise(resolve => setImmediate(resolve));
    return structuredClone(await tasks[name](structuredClone(input) as never, {} as never));
  });
  const connection = { call, close() {}, closed: false } as unknown as Connection<PlanTasks>;
  const takes = () => asked.filter(name => name === 'take').length;
  return { connection, asked, takes };
}

const requests: Partial<PlanRequest>[] = [
  {},
  { camera: 'follow', aspect: { width: 1, height: 1 } },
  { layout: 'stack', gapRatio: 0.02, overrides: [{ startSec: 4, endSec: 9, faceId: 1 }] },
  { offScreen: 'wide', pace: 'lively', punchIn: true },
];

test('the worker’s plan is the plan', async () => {
  const { connection, asked } = worker();
  const plan = createPlanCall(() => connection);
  for (const request of requests)
    expect(await plan(long, request)).toEqual(planResult(long, completePlanRequest(request)));
  expect(asked.filter(name => name === 'plan')).toHaveLength(requests.length);
});

test('a result is sent once, in pieces, and again after another one or to another worker', async () => {
  const [first, second] = [worker(), worker()];
  let current = first;
  const plan = createPlanCall(() => current.connection);
  await plan(long);
  const once = first.takes();
  expect(once).toBeGreaterThan(3);
  await plan(long, { camera: 'follow' });
  expect(first.takes()).toBe(once);
  expect(await plan(other)).toEqual(planResult(other, completePlanRequest()));
  await plan(long);
  expect(first.takes()).toBeGreaterThan(2 * once);
  current = second;
  await plan(long);
  expect(second.takes()).toBe(once);
});

test('calls that overlap are answered in their order, each about its own result', async () => {
  const { connection } = worker();
  const plan = createPlanCall(() => connection);
  const answers: number[] = [];
  const calls = [long, other, long].map(async (result, i) => {
    const made = await plan(result);
    answers.push(i);
    return made.frame_count;
  });
  expect(await Promise.all(calls)).toEqual([7500, 6000, 7500]);
  expect(answers).toEqual([0, 1, 2]);
});

test('what was aborted rejects at once, and is not planned when its turn comes', async () => {
  const { connection, asked } = worker();
  const plan = createPlanCall(() => connection);
  const controller = new AbortController();
  const first = plan(long);
  const second = plan(long, { camera: 'follow' }, { signal: controller.signal });
  const third = plan(long, { pace: 'calm' });
  controller.abort(new Error('superseded'));
  await expect(second).rejects.toThrow('superseded');
  expect(asked).not.toContain('plan');
  await Promise.all([first, third]);
  expect(asked.filter(name => name === 'plan')).toHaveLength(2);
  await expect(plan(long, {}, { signal: controller.signal })).rejects.toThrow('superseded');
});

test('a failure does not stand in the way of the next call', async () => {
  const { connection } = worker();
  let isBroken = true;
  const plan = createPlanCall(() => {
    if (isBroken) throw new Error('no worker today');
    return connection;
  });
  await expect(plan(long)).rejects.toThrow('no worker today');
  isBroken = false;
  expect((await plan(long)).frame_count).toBe(7500);
});

test('what is short is planned here; a wrong request is the caller’s mistake before anything is sent', async () => {
  const none = vi.fn(() => {
    throw new Error('unreachable');
  });
  const plan = createPlanCall(none);
  expect((await plan(conversation(30))).frame_count).toBe(750);
  await expect(plan(long, { gapRatio: 2 })).rejects.toThrow(/plan.gapRatio/);
  expect(none).not.toHaveBeenCalled();
});
