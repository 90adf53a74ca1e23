import 'fake-indexeddb/auto';
import { expect, test } from 'vitest';
import {
  createLocalService,
  createMemoryStore,
  type LocalService,
  openBrowserStore,
  type Store,
} from '../../../src/service/index.js';
import type { Video } from '../../../src/service/jobs/state.js';
import { expired, roomAdvice } from '../../../src/service/storage/housekeeping.js';
import { createFakePipeline, fakeFetch, fakeUrl } from '../../fixtures/fake-pipeline.js';

const ask = async (service: LocalService, path: string, body?: object) => {
  const headers = { 'Content-Type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
  return (await service.fetch(new Request(`http://service.test${path}`, init))).json();
};
const start = (service: LocalService, seconds: number) =>
  ask(service, '/api/v2/reframe', { url: fakeUrl(seconds) });
const end = async (service: LocalService, jobId: string) => {
  for (;;) {
    const body = await ask(service, `/api/v2/reframe/${jobId}`);
    if (body.status !== 'processing') return body;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
};
const full = () => new DOMException('full', 'QuotaExceededError');
/** A store whose files can be told to be full. */
function fillable(): Store & { fill(on: boolean): void } {
  const store = createMemoryStore();
  let isFull = false;
  return {
    ...store,
    files: {
      ...store.files,
      freeBytes: async () => (isFull ? 0 : 1e9),
      create: name => (isFull ? Promise.reject(full()) : store.files.create(name)),
    },
    fill: on => (isFull = on),
  };
}

test('full storage fails the job before anything is charged, and names what could be deleted', async () => {
  const store = fillable();
  const service = createLocalService({
    reframer: createFakePipeline(),
    store,
    credits: 10,
    fetch: fakeFetch,
  });
  const first = await end(service, (await start(service, 4)).job_id);
  store.fill(true);
  const { job_id } = await start(service, 5);
  const failed = await end(service, job_id);
  expect(failed).toMatchObject({ status: 'failed', code: 'quota_exceeded' });
  expect(failed.error).toContain(first.video_id);
  store.fill(false);
  await service.resume(job_id);
  expect(await end(service, job_id)).toMatchObject({ status: 'completed' });
  const charged = (await store.all('ledger'))
    .filter(({ kind }) => kind === 'charge')
    .map(({ credits }) => credits);
  expect(charged).toEqual([4, 5]);
  await service.close();
});

test('records that cannot be written fail the job, and its credits come back', async () => {
  const store = createMemoryStore();
  let isFull = true;
  const write: Store['write'] = async changes => {
    if (!isFull || !changes.some(({ table }) => table === 'parts')) return store.write(changes);
    isFull = false;
    throw full();
  };
  const service = createLocalService({
    reframer: createFakePipeline(),
    store: { ...store, write },
    credits: 10,
    fetch: fakeFetch,
  });
  const { job_id } = await start(service, 10);
  expect(await end(service, job_id)).toMatchObject({ status: 'failed', code: 'quota_exceeded' });
  expect(await end(service, (await start(service, 10)).job_id)).toMatchObject({ status: 'completed' });
  await service.close();
});

test('a state that cannot be kept is no reason to fail', async () => {
  const store = createMemoryStore();
  const write: Store['write'] = changes =>
    changes.some(({ table, value }) => table === 'saves' && value)
      ? Promise.reject(full())
      : store.write(changes);
  const service = createLocalService({
    reframer: createFakePipeline(),
    store: { ...store, write },
    fetch: fakeFetch,
  });
  expect(await end(service, (await start(service, 10)).job_id)).toMatchObject({ status: 'completed' });
  await service.close();
});

test('storage that is cleared under a job fails it cleanly', async () => {
  const store = createMemoryStore();
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, store, advance: 'poll', fetch: fakeFetch });
  const { job_id } = await start(service, 3);
  for (;;) {
    const { step } = await ask(service, `/api/v2/reframe/${job_id}`);
    if (step === 'active_speaker') break;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
  const parts = await store.all('parts');
  expect(parts.length).toBeGreaterThan(0);
  for (const { name } of await store.files.list()) await store.files.remove(name);
  const body = await end(service, job_id);
  expect(body.status).not.toBe('processing');
  await service.close();
});

test('a database that is deleted under a job fails it cleanly, and the next one has it all', async () => {
  const store = await openBrowserStore({ name: 'cleared', files: createMemoryStore().files });
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const service = createLocalService({ reframer: pipeline, store, credits: 10, fetch: fakeFetch });
  const { job_id } = await start(service, 10);
  while (!pipeline.calls.some(call => call.startsWith('analyse')))
    await new Promise(resolve => setTimeout(resolve, 1));
  await new Promise((resolve, reject) => {
    const gone = indexedDB.deleteDatabase('cleared');
    gone.onsuccess = resolve;
    gone.onerror = reject;
  });
  for (const { name } of await store.files.list()) await store.files.remove(name);
  pipeline.hold(false);
  // What is computed now is written into a new database: the job need not fail at all.
  expect(await end(service, job_id)).toMatchObject({ status: 'completed' });
  const ledger = (await store.all('ledger')).map(({ kind }) => kind);
  expect(ledger).toEqual(['charge']);
  await service.close();
});

test('a clip whose analyses were cleared away fails, and says what to do', async () => {
  const store = createMemoryStore();
  const service = createLocalService({ reframer: createFakePipeline(), store, fetch: fakeFetch });
  const { video_id } = await ask(service, '/api/v2/ingest', { url: fakeUrl(10) });
  const settled = async () => {
    for (;;) {
      const body = await ask(service, `/api/v2/status/${video_id}`);
      if (body.status === 'completed' || body.status === 'failed') return body;
      await new Promise(resolve => setTimeout(resolve, 1));
    }
  };
  await settled();
  const parameters = { face_tracking_model: 'face_tracking_yolov8' };
  const types = ['scene_detection', 'face_tracking_yolov8', 'active_speaker'];
  for (const model_type of types) {
    await ask(service, '/api/v2/analyze', { video_id, model_type, parameters });
    await settled();
  }
  const keys = [...types, 'envelope'].map(part => `${video_id}/${part}`);
  await store.write(keys.map(key => ({ table: 'parts', key })));
  await ask(service, '/api/v2/transform', { video_id, transform_type: 'reframe', parameters });
  expect(await settled()).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('gone from the storage'),
  });
  await service.close();
});

test('an answered poll never runs a step twice, however many come at once', async () => {
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, advance: 'poll', fetch: fakeFetch });
  const { job_id } = await start(service, 3);
  for (;;) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(service, `/api/v2/reframe/${job_id}`)),
    );
    if (answers.some(({ status }) => status === 'completed')) break;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
  expect(pipeline.calls).toEqual([
    'probe',
    'analyse scene_detection',
    'analyse face_tracking_yolov8',
    'analyse active_speaker+content',
    'render',
  ]);
  await service.close();
});

test('a polled job rests until it is asked', async () => {
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, advance: 'poll', fetch: fakeFetch });
  await start(service, 3);
  for (let i = 0; i < 50; i++) await new Promise(resolve => setTimeout(resolve, 1));
  expect(pipeline.calls).toEqual(['probe']);
  await service.close();
});

test('a job that advances by itself looks at its source once for all analyses', async () => {
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, fetch: fakeFetch });
  await end(service, (await start(service, 3)).job_id);
  expect(pipeline.calls).toEqual([
    'probe',
    'analyse scene_detection+face_tracking_yolov8+active_speaker+content',
    'render',
  ]);
  await service.close();
});

const video = (id: string, updatedMs: number, status: 'completed' | 'processing' = 'completed') =>
  ({
    id,
    updatedMs,
    source: { kind: 'url', url: '' },
    steps: { ingest: { status } },
    latest: 'ingest',
  }) as unknown as Video;
const files = ['a', 'b', 'c'].map(id => ({ name: `${id}_reframe.mp4`, sizeBytes: 10 * 2 ** 20 }));

test('the policy gives up what is old, then the oldest, and never work that is open', () => {
  const videos = [video('a', 1000), video('b', 2000), video('c', 500, 'processing')];
  const ids = (policy: object) => expired(videos, files, policy, 10_000).map(({ id }) => id);
  expect(ids({})).toEqual([]);
  expect(ids({ maxAgeSec: 8.5 })).toEqual(['a']);
  expect(ids({ maxBytes: 15 * 2 ** 20 })).toEqual(['a', 'b']);
  expect(ids({ maxBytes: 25 * 2 ** 20 })).toEqual(['a']);
  expect(roomAdvice(videos, files)).toContain('a (10.0 MiB), b (10.0 MiB)');
});
