import 'fake-indexeddb/auto';
import { openDB } from 'idb';
import { expect, test } from 'vitest';
import {
  createLocalService,
  createMemoryStore,
  type LocalService,
  openBrowserStore,
  type Store,
} from '../../../src/service/index.js';
import type { Save } from '../../../src/service/storage/save.js';
import { createFakePipeline, fakeFetch, fakeMedia, fakeUrl } from '../../fixtures/fake-pipeline.js';

const ask = async (service: LocalService, path: string, body?: object) => {
  const response = await service.fetch(
    new Request(`http://service.test${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    }),
  );
  return response.json();
};

/** Polls until a condition holds. */
const until = async (
  service: LocalService,
  path: string,
  done: (body: Record<string, unknown>) => boolean,
) => {
  for (;;) {
    const body = await ask(service, path);
    if (done(body)) return body;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
};
const ended = ({ status }: Record<string, unknown>) => status === 'completed' || status === 'failed';

/** Leaves the store as a killed page leaves it: whatever was not written is gone, nothing is tidied up. */
const killed = (store: Store): { store: Store; kill(): void } => {
  let alive = true;
  const write: Store['write'] = changes => (alive ? store.write(changes) : new Promise(() => {}));
  // Its lock went with the page.
  const { lockName: _gone, ...rest } = store;
  return { store: { ...rest, write, close: () => {} }, kill: () => (alive = false) };
};

let count = 0;
const stores: readonly [string, () => Promise<Store>][] = [
  ['memory', async () => createMemoryStore()],
  ['IndexedDB', () => openBrowserStore({ name: `restart-${count++}`, files: createMemoryStore().files })],
];

test.each(stores)('a job whose page was killed while it analysed goes on (%s)', async (_name, openStore) => {
  const kept = await openStore();
  const { store, kill } = killed(kept);
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const first = createLocalService({ reframer: pipeline, store, credits: 10, fetch: fakeFetch });
  const { job_id } = await ask(first, '/api/v2/reframe', { url: fakeUrl(10) });
  while (!(await kept.all('saves')).some(({ kind }) => kind === 'state'))
    await new Promise(resolve => setTimeout(resolve, 1));
  kill();

  const again = createFakePipeline();
  const second = createLocalService({ reframer: again, store: kept, credits: 10, fetch: fakeFetch });
  const end = await until(second, `/api/v2/reframe/${job_id}`, ended);
  expect(end.status).toBe('completed');
  const all = 'scene_detection+face_tracking_yolov8+active_speaker+content';
  expect(again.calls).toEqual([`analyse ${all} from 5`, 'render']);
  expect(await kept.all('saves')).toEqual([]);
  const lines = (await kept.all('ledger')).map(({ kind, credits }) => `${kind} ${credits}`);
  expect(lines).toEqual(['hold 10', 'charge 10']);
  await second.close();
});

test('finished analyses are reused after a restart, one by one', async () => {
  const kept = createMemoryStore();
  const { store, kill } = killed(kept);
  const pipeline = createFakePipeline();
  const first = createLocalService({ reframer: pipeline, store, advance: 'poll', fetch: fakeFetch });
  const { job_id } = await ask(first, '/api/v2/reframe', { url: fakeUrl(10) });
  await until(first, `/api/v2/reframe/${job_id}`, ({ step }) => step === 'active_speaker');
  kill();

  const again = createFakePipeline();
  const second = createLocalService({ reframer: again, store: kept, fetch: fakeFetch });
  expect(await until(second, `/api/v2/reframe/${job_id}`, ended)).toMatchObject({ status: 'completed' });
  expect(again.calls.filter(call => /scene|tracking/.test(call))).toEqual([]);
  await second.close();
});

test('what was done twice is counted, over all kills', async () => {
  const kept = createMemoryStore();
  let killedAt = 0;
  const attempt = async (killSec: number) => {
    const { store, kill } = killed(kept);
    const pipeline = createFakePipeline();
    pipeline.hold(true);
    const service = createLocalService({ reframer: pipeline, store, fetch: fakeFetch });
    if (!killedAt) await ask(service, '/api/v2/reframe', { url: fakeUrl(10) });
    while (!pipeline.calls.some(call => call.startsWith('analyse')) || !(await kept.all('saves'))[1])
      await new Promise(resolve => setTimeout(resolve, 1));
    kill();
    const reached = (await kept.all('saves')).find(({ kind }) => kind === 'reached')!;
    const value = { ...reached, reachedSec: killSec } as Save;
    await kept.write([{ table: 'saves', key: `${reached.videoId}/reached`, value }]);
    killedAt = killSec;
  };
  await attempt(7);
  await attempt(6.5);
  const last = createLocalService({ reframer: createFakePipeline(), store: kept, fetch: fakeFetch });
  while ((await last.list())[0]!.status !== 'completed') await new Promise(resolve => setTimeout(resolve, 1));
  // Each began again at 5: 2 seconds and then 1.5.
  expect((await last.list())[0]!.repeated_sec).toBe(3.5);
  await last.close();
});

test('what steps kept goes with their video, and at the start with those that are gone', async () => {
  const store = createMemoryStore();
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const stray = { videoId: 'gone', kind: 'reached', work: 'analyse', reachedSec: 3, repeatedSec: 0 } as const;
  await store.write([{ table: 'saves', key: 'gone/reached', value: stray }]);
  const service = createLocalService({ reframer: pipeline, store, fetch: fakeFetch });
  const { job_id } = await ask(service, '/api/v2/reframe', { url: fakeUrl(10) });
  while ((await store.all('saves')).length < 2) await new Promise(resolve => setTimeout(resolve, 1));
  const [video] = await service.list();
  expect((await store.all('saves')).map(({ videoId }) => videoId)).toEqual([
    video!.video_id,
    video!.video_id,
  ]);
  expect(video!.job_id).toBe(job_id);
  await service.delete(video!.video_id);
  expect(await store.all('saves')).toEqual([]);
  await service.close();
});

test('a database of the first version is taken over', async () => {
  const old = await openDB('version-1', 1, {
    upgrade(database) {
      for (const name of ['videos', 'parts', 'ledger', 'handles', 'outbox', 'results'])
        database.createObjectStore(name);
    },
  });
  await old.put('parts', { kept: true }, 'a/b');
  await old.put('outbox', { queued: true }, 'j');
  old.close();
  const store = await openBrowserStore({ name: 'version-1', files: createMemoryStore().files });
  expect(await store.get('parts', 'a/b')).toEqual({ kept: true });
  expect(await store.all('saves')).toEqual([]);
  expect(await store.shelf('sync-outbox').all()).toEqual([{ queued: true }]);
  expect(await store.shelf('sync-results').all()).toEqual([]);
  store.close();
});

test('a hold whose job is gone is released at the start', async () => {
  const store = createMemoryStore();
  const hold = {
    line: 0,
    at: '2026-01-01T00:00:00.000Z',
    kind: 'hold',
    credits: 8,
    video_id: 'gone',
    reason: '',
  };
  await store.write([{ table: 'ledger', key: '000000000000', value: hold as never }]);
  const service = createLocalService({
    reframer: createFakePipeline(),
    store,
    credits: 10,
    fetch: fakeFetch,
  });
  const { job_id } = await ask(service, '/api/v2/reframe', { url: fakeUrl(10) });
  expect(await until(service, `/api/v2/reframe/${job_id}`, ended)).toMatchObject({ status: 'completed' });
  await service.close();
});

test('a file that was handed in is found again after a restart', async () => {
  const store = createMemoryStore();
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const first = createLocalService({ reframer: pipeline, store });
  const url = await first.put(fakeMedia({ seconds: 4 }));
  expect(await first.put(fakeMedia({ seconds: 4 }))).toBe(url);
  const { job_id } = await ask(first, '/api/v2/reframe', { url });
  await until(first, `/api/v2/reframe/${job_id}`, ({ step }) => step === 'active_speaker');
  await first.close();

  const second = createLocalService({ reframer: createFakePipeline(), store });
  expect(await until(second, `/api/v2/reframe/${job_id}`, ended)).toMatchObject({ status: 'completed' });
  await second.close();
});

test('a file without room for a copy waits after a restart until it is picked again', async () => {
  const memory = createMemoryStore();
  const store = { ...memory, files: { ...memory.files, freeBytes: async () => 10 } };
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const first = createLocalService({ reframer: pipeline, store });
  const { job_id } = await ask(first, '/api/v2/reframe', { url: await first.put(fakeMedia({ seconds: 4 })) });
  const open = await until(first, `/api/v2/reframe/${job_id}`, ({ step }) => step === 'active_speaker');
  expect(open.resumable).toBe(false);
  await first.close();

  const second = createLocalService({ reframer: createFakePipeline(), store });
  await until(
    second,
    `/api/v2/reframe/${job_id}`,
    ({ waiting_for }) => waiting_for === 'source_permission_needed',
  );
  expect(await second.list()).toMatchObject([{ job_id, status: 'waiting', resumable: false }]);
  await second.put(fakeMedia({ seconds: 4 }));
  expect(await until(second, `/api/v2/reframe/${job_id}`, ended)).toMatchObject({ status: 'completed' });
  await second.close();
});

test('a handle that asks for a click waits for resume', async () => {
  const store = createMemoryStore();
  let permission = 'granted';
  const handle = {
    name: 'talk.mp4',
    getFile: async () => fakeMedia({ seconds: 4 }),
    queryPermission: async () => permission,
    requestPermission: async () => (permission = 'granted'),
  } as unknown as FileSystemFileHandle;
  const pipeline = createFakePipeline();
  pipeline.hold(true);
  const first = createLocalService({ reframer: pipeline, store });
  const { job_id } = await ask(first, '/api/v2/reframe', { url: await first.put(handle) });
  await until(first, `/api/v2/reframe/${job_id}`, ({ step }) => step === 'active_speaker');
  await first.close();

  permission = 'prompt';
  const second = createLocalService({ reframer: createFakePipeline(), store });
  await until(
    second,
    `/api/v2/reframe/${job_id}`,
    ({ waiting_for }) => waiting_for === 'source_permission_needed',
  );
  await second.resume(job_id);
  expect(await until(second, `/api/v2/reframe/${job_id}`, ended)).toMatchObject({ status: 'completed' });
  await second.close();
});

test('delete takes away results, clip and source, stops what runs and frees its credits', async () => {
  const store = createMemoryStore();
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, store, credits: 10, fetch: fakeFetch });
  const { job_id: first } = await ask(service, '/api/v2/reframe', { url: fakeUrl(5) });
  const { video_id } = await until(service, `/api/v2/reframe/${first}`, ended);
  pipeline.hold(true);
  const { job_id: second } = await ask(service, '/api/v2/reframe', { url: fakeUrl(5) });
  await until(service, `/api/v2/reframe/${second}`, ({ step }) => step === 'active_speaker');
  const open = (await service.list()).find(video => video.job_id === second)!;
  await service.delete(open.video_id);
  await service.delete(video_id as string);
  expect(await service.list()).toEqual([]);
  expect([await store.all('videos'), await store.all('parts'), await store.files.list()]).toEqual([
    [],
    [],
    [],
  ]);
  pipeline.hold(false);
  const { job_id: third } = await ask(service, '/api/v2/reframe', { url: fakeUrl(5) });
  expect(await until(service, `/api/v2/reframe/${third}`, ended)).toMatchObject({ status: 'completed' });
  await service.close();
});
