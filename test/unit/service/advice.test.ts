import { expect, test } from 'vitest';
import type { Advisor, Override } from '../../../src/index.js';
import { createLocalService, createMemoryStore, type LocalService } from '../../../src/service/index.js';
import { createFakePipeline, fakeFetch, fakeUrl } from '../../fixtures/fake-pipeline.js';
import { analyse } from '../core/plan/invented-scene.js';

const onFaces = { face_tracking_model: 'face_tracking_yolov8' };
const unsure = analyse({
  people: [450, 1470].map(x => ({ at: { x, y: 480 }, speaks: [[0, 5]], confidence: () => 0.5 })),
  durationSec: 5,
});
const right = { layout: 'stack', faces: [2], reason: 'both', confidence: 0.5 };
const advice = { startSec: 0, endSec: 5, layout: 'stack', faceIds: [1] };

/** A pipeline that finds two of whom either may be the one who speaks, and tells what it was to plan with. */
function unsurePipeline() {
  const fake = createFakePipeline();
  const planned: Override[][] = [];
  const shown: unknown[] = [];
  return {
    ...fake,
    planned,
    shown,
    advise: (...[result, request, advisor, options]: Parameters<typeof fake.advise>) => {
      shown.push(options?.source);
      return fake.advise(result, request, advisor, options);
    },
    analyse: async (...call: Parameters<typeof fake.analyse>) => {
      const result = await fake.analyse(...call);
      return { ...result, parts: { ...result.parts, ...unsure }, size: { width: 1920, height: 1080 } };
    },
    plan: (...[result, request]: Parameters<typeof fake.plan>) => {
      planned.push(request?.overrides ?? []);
      return fake.plan(result, request);
    },
  };
}

const ask = async (service: LocalService, path: string, body?: object) => {
  const headers = { 'Content-Type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
  return (await service.fetch(new Request(`http://service.test${path}`, init))).json();
};
const settled = async (service: LocalService, path: string) => {
  for (;;) {
    const body = await ask(service, path);
    if (body.status === 'completed' || body.status === 'failed') return body;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
};
const runJob = async (service: LocalService, body: object) => {
  const { job_id } = await ask(service, '/api/v2/reframe', { url: fakeUrl(5), ...body });
  return settled(service, `/api/v2/reframe/${job_id}`);
};
const open = (reframer: ReturnType<typeof unsurePipeline>, advisor?: Advisor, store = createMemoryStore()) =>
  createLocalService({ reframer, store, fetch: fakeFetch, ...(advisor && { advisor }) });

test('a job with llm plans with what the advisor answers, and says so; one without does not ask', async () => {
  const pipeline = unsurePipeline();
  const service = open(pipeline, async () => right);
  const end = await runJob(service, { llm: true });
  expect(end).toMatchObject({ status: 'completed' });
  expect(end.notes[0]).toBe('llm: Difficult scenes: 1; answers of the advisor that are used: 1.');
  expect(pipeline.planned).toEqual([[expect.objectContaining({ ...advice, source: 'advisor' })]]);
  expect(pipeline.shown).toEqual([expect.any(Blob)]);
  expect(await runJob(service, {})).not.toHaveProperty('notes');
  expect(pipeline.planned[1]).toEqual([]);
});

test('an advisor that fails costs the job nothing but a note', async () => {
  const pipeline = unsurePipeline();
  const end = await runJob(
    open(pipeline, () => Promise.reject(new Error('gone'))),
    { llm: true },
  );
  expect(end).toMatchObject({ status: 'completed' });
  expect(end.notes[1]).toContain('the plan stays, because of this: gone');
  expect(pipeline.planned).toEqual([[]]);
});

test('reframe_llm asks the advisor; without one it fails with model_unavailable, and llm with a note', async () => {
  for (const advisor of [async () => right, undefined]) {
    const pipeline = unsurePipeline();
    const service = open(pipeline, advisor);
    const job = await runJob(service, { llm: advisor === undefined });
    if (!advisor) expect(job.notes).toEqual(['llm: no advisor is installed; the standard plan is used.']);
    const step = { video_id: job.video_id, transform_type: 'reframe_llm', parameters: onFaces };
    await ask(service, '/api/v2/transform', step);
    const end = await settled(service, `/api/v2/status/${job.video_id}`);
    if (advisor) {
      expect(end).toMatchObject({ step: 'reframe_llm', status: 'completed' });
      expect(end.notes[0]).toContain('answers of the advisor that are used: 1');
      expect(pipeline.planned.at(-1)).toEqual([expect.objectContaining(advice)]);
    } else expect(end).toMatchObject({ status: 'failed', code: 'model_unavailable' });
  }
});

test('a render that goes on after a restart has the advice that it began with', async () => {
  const store = createMemoryStore();
  const pipeline = unsurePipeline();
  let asked = 0;
  const advisor: Advisor = async () => {
    asked++;
    return right;
  };
  // The first attempt stops where it would draw.
  const rendering = new Promise<void>(resolve => {
    pipeline.render = (_source, _plan, { signal } = {}) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        resolve();
      });
  });
  const first = open(pipeline, advisor, store);
  const { job_id } = await ask(first, '/api/v2/reframe', { url: fakeUrl(5), llm: true });
  await rendering;
  await first.close();
  const again = unsurePipeline();
  const end = await settled(open(again, advisor, store), `/api/v2/reframe/${job_id}`);
  expect(end).toMatchObject({ status: 'completed' });
  expect(asked).toBe(1);
  expect(again.planned).toEqual([[expect.objectContaining(advice)]]);
  expect(await store.all('saves')).toEqual([]);
});
