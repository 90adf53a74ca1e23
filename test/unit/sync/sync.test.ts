import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/index.js';
import { createLocalService, createMemoryStore, type Store } from '../../../src/service/index.js';
import { createSync, type SyncOptions } from '../../../src/sync/index.js';
import { createFakePipeline, fakeFetch, fakeUrl } from '../../fixtures/fake-pipeline.js';
import { createStandInRemote } from '../../fixtures/stand-in-remote.js';

type Wire = (request: Request, pass: () => Promise<Response>) => Promise<Response>;

/** A device and a remote service with a wire between them that can misbehave. */
function setUp({
  wire = (_request, pass) => pass(),
  store = createMemoryStore(),
  ...options
}: Partial<SyncOptions> & { wire?: Wire } = {}) {
  const service = createLocalService({ reframer: createFakePipeline(), store, fetch: fakeFetch });
  const remote = createStandInRemote({ apiKeys: ['key'], credits: 100 });
  const open = () =>
    createSync({
      local: createClient({ baseUrl: 'http://local.test', fetch: service.fetch }),
      remote: createClient({
        baseUrl: 'http://remote.test',
        apiKey: 'key',
        fetch: request => wire(request, () => remote.fetch(request)),
      }),
      store,
      isOnline: () => true,
      pauses: { firstSec: 0.001, longestSec: 0.005, pollSec: [0.001, 0.001], limitSec: 0.2 },
      ...options,
    });
  const posts = () => remote.requests.filter(one => one === 'POST /api/v2/reframe').length;
  return { sync: open(), reopen: open, remote, posts, store, service };
}
const toRemote = { policy: { where: 'remote' } } as const;
const allowed = { allowRemote: true };
const states = async (sync: { list(): Promise<readonly { state: string }[]> }) =>
  (await sync.list()).map(({ state }) => state);

test.each([
  ['nothing was allowed', { policy: { where: 'remote' } }, fakeUrl(3), {}, 'not_allowed'],
  ['the source has no public address', toRemote, 'http://localhost/3.mp4', allowed, 'remote_needs_url'],
  ['the policy says local', { policy: { where: 'local' } }, fakeUrl(3), allowed, 'asked'],
  ['nobody measured', {}, fakeUrl(3), allowed, 'not_measured'],
  ['the device is fast enough', { policy: { benchmark: async () => 4 } }, fakeUrl(3), allowed, 'fast_enough'],
] as const)('nothing at all leaves the device when %s', async (_name, options, url, submit, reason) => {
  const { sync, remote } = setUp(options);
  const job = await sync.submit({ url }, submit);
  expect(job).toMatchObject({ where: 'local', reason });
  await sync.idle();
  await new Promise(resolve => setTimeout(resolve, 20));
  expect(remote.requests).toEqual([]);
  await sync.close();
});

test('a device that is too slow sends what may leave, and says from which numbers', async () => {
  const { sync, posts } = setUp({ policy: { benchmark: async () => 6 } });
  const job = await sync.submit({ url: fakeUrl(60) }, { ...allowed, durationSec: 60 });
  expect(job).toMatchObject({ where: 'remote', reason: 'too_slow', measured: 6, bound: 4, predictedMin: 6 });
  await sync.idle();
  expect(posts()).toBe(1);
  await sync.close();
});

test('of a remote job the clip and the result come back into the store', async () => {
  const { sync, store } = setUp(toRemote);
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  const [job] = await sync.list();
  expect(job).toMatchObject({ state: 'completed', result_source: 'remote' });
  expect((await store.files.open(job!.clipFile!))?.size).toBe(1000);
  await sync.close();
});

test('a local job is completed here', async () => {
  const { sync } = setUp();
  await sync.submit({ url: fakeUrl(3) });
  await sync.idle();
  expect(await sync.list()).toMatchObject([{ state: 'completed', result_source: 'local', where: 'local' }]);
  await sync.close();
});

test('what was asked offline is sent later, in order, also after a reload', async () => {
  let online = false;
  const { sync, reopen, posts, store } = setUp({ ...toRemote, isOnline: () => online });
  for (const seconds of [3, 4, 5]) await sync.submit({ url: fakeUrl(seconds) }, allowed);
  expect([await states(sync), posts()]).toEqual([['queued', 'queued', 'queued'], 0]);
  await sync.close();

  online = true;
  const again = reopen();
  await again.idle();
  expect(await states(again)).toEqual(['completed', 'completed', 'completed']);
  expect(posts()).toBe(3);
  const jobs = await store.shelf<{ turn: number; jobId: string }>('sync-outbox').all();
  const byTurn = jobs.toSorted((a, b) => a.turn - b.turn).map(({ jobId }) => Number(jobId.slice(3)));
  expect(byTurn).toEqual(byTurn.toSorted((a, b) => a - b));
  await again.close();
});

test('a remote service that is down is told nothing until it answers', async () => {
  let down = 5;
  const { sync, posts } = setUp({
    ...toRemote,
    wire: (_request, pass) => (down-- > 0 ? Promise.reject(new TypeError('refused')) : pass()),
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect([await states(sync), posts()]).toEqual([['completed'], 1]);
  await sync.close();
});

test.each([429, 503])('after %i the job is sent again, later', async status => {
  let refusals = 3;
  const { sync, posts } = setUp({
    ...toRemote,
    wire: async ({ method }, pass) =>
      method === 'POST' && refusals-- > 0 ? new Response(null, { status }) : pass(),
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect([await states(sync), posts()]).toEqual([['completed'], 1]);
  await sync.close();
});

test.each([
  ['the answer is lost', async () => Promise.reject(new TypeError('reset'))],
  ['the answer is a page of somebody else', async () => new Response('<html>sign in</html>')],
  ['the answer never comes', () => new Promise<Response>(() => {})],
  ['the service breaks down over it', async () => new Response(null, { status: 500 })],
] as const)('when %s, the job is never sent again by itself', async (_name, answer) => {
  let lose = true;
  const { sync, reopen, posts } = setUp({
    ...toRemote,
    async wire(request, pass) {
      if (request.method !== 'POST' || !lose) return pass();
      await pass();
      return new Promise((resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
        answer().then(resolve, reject);
      });
    },
  });
  const job = await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect([await states(sync), posts()]).toEqual([['unknown'], 1]);
  await sync.close();
  lose = false;
  const again = reopen();
  await again.idle();
  expect([await states(again), posts()]).toEqual([['unknown'], 1]);
  await again.retry(job.id);
  await again.idle();
  expect([await states(again), posts()]).toEqual([['completed'], 2]);
  await again.close();
});

test('a job that was being sent when the page ended is unknown afterwards', async () => {
  const store: Store = createMemoryStore();
  const wire: Wire = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const { sync, reopen, posts } = setUp({ ...toRemote, store, wire });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  const outbox = store.shelf<{ id: string; state?: string }>('sync-outbox');
  const [row] = await outbox.all();
  await sync.close();
  await outbox.write([{ key: row!.id, value: { ...row!, state: 'sending' } }]);
  const again = reopen();
  expect([await states(again), posts()]).toEqual([['unknown'], 0]);
  await again.close();
});

test('a refused job is failed, with the service’s words', async () => {
  const { sync } = setUp({
    ...toRemote,
    wire: async ({ method }, pass) =>
      method === 'POST' ? Response.json({ error: 'no', code: 'invalid_request' }, { status: 400 }) : pass(),
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect(await sync.list()).toMatchObject([{ state: 'failed', code: 'invalid_request' }]);
  await sync.close();
});

test('a download that breaks off is gone on with where it broke', async () => {
  const whole = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);
  const asked: (string | null)[] = [];
  const { sync, store } = setUp({
    ...toRemote,
    async wire(request, pass) {
      if (!request.url.includes('/download/')) return pass();
      const range = request.headers.get('Range');
      asked.push(range);
      const from = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0);
      const body = whole.slice(from, from + 300);
      const headers = { 'Content-Length': String(1000 - from) };
      return new Response(body, { status: range ? 206 : 200, headers });
    },
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  const [job] = await sync.list();
  expect(job).toMatchObject({ state: 'completed' });
  expect(asked).toEqual([null, 'bytes=300-', 'bytes=600-', 'bytes=900-']);
  expect(new Uint8Array(await (await store.files.open(job!.clipFile!))!.arrayBuffer())).toEqual(whole);
  await sync.close();
});

/** Answers the service's polls for a while in some other way. */
const awayWhilePolled = (answer: (request: Request) => Promise<Response>, times: number): Wire => {
  let left = times;
  return (request, pass) => {
    const isPoll = /\/reframe\/job/.test(request.url);
    return isPoll && left-- > 0 ? answer(request) : pass();
  };
};

test.each([
  ['is down', () => Promise.reject(new TypeError('refused'))],
  ['answers 500', async () => new Response(null, { status: 500 })],
  ['answers 429', async () => new Response(null, { status: 429 })],
  ['answers with a page of somebody else', async () => new Response('<html>sign in</html>')],
  [
    'does not answer',
    ({ signal }: Request) =>
      new Promise<Response>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  ],
] as const)('a remote service that %s while a job runs still has it afterwards', async (_name, answer) => {
  const pauses = { firstSec: 0.001, longestSec: 0.002, pollSec: [0.001, 0.001], limitSec: 0.02 } as const;
  const { sync, posts } = setUp({ ...toRemote, pauses, wire: awayWhilePolled(answer, 20) });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect([await states(sync), posts()]).toEqual([['completed'], 1]);
  await sync.close();
});

test('a service that is slow is waited for', async () => {
  const { sync, posts } = setUp({
    ...toRemote,
    async wire(_request, pass) {
      await new Promise(resolve => setTimeout(resolve, 15));
      return pass();
    },
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect([await states(sync), posts()]).toEqual([['completed'], 1]);
  await sync.close();
});

test('a download that stands still is gone on with', async () => {
  let stands = true;
  const { sync, store } = setUp({
    ...toRemote,
    pauses: { firstSec: 0.001, longestSec: 0.005, pollSec: [0.001, 0.001], limitSec: 0.05 },
    async wire(request, pass) {
      if (!request.url.includes('/download/')) return pass();
      if (!stands)
        return new Response(new Uint8Array(600), { status: 206, headers: { 'Content-Length': '600' } });
      stands = false;
      const body = new ReadableStream({ start: out => out.enqueue(new Uint8Array(400)) });
      return new Response(body, { headers: { 'Content-Length': '1000' } });
    },
  });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  const [job] = await sync.list();
  expect(job).toMatchObject({ state: 'completed' });
  expect((await store.files.open(job!.clipFile!))?.size).toBe(1000);
  await sync.close();
});

test('a clip that does not fit fails the job, and says why', async () => {
  const memory = createMemoryStore();
  const full = () => Promise.reject(new DOMException('full', 'QuotaExceededError'));
  const create: Store['files']['create'] = async name => {
    const draft = await memory.files.create(name);
    return name.startsWith('remote-') ? { ...draft, writable: new WritableStream({ write: full }) } : draft;
  };
  const { sync } = setUp({ ...toRemote, store: { ...memory, files: { ...memory.files, create } } });
  await sync.submit({ url: fakeUrl(3) }, allowed);
  await sync.idle();
  expect(await sync.list()).toMatchObject([{ state: 'failed', code: 'quota_exceeded' }]);
  expect(await memory.files.list()).toEqual([]);
  await sync.close();
});

/** What the remote service's `status` tells of a video of three seconds. */
const told = (model: string) => ({
  video_id: 'video',
  step: model,
  status: 'completed',
  result: { model, video_fps: 25, total_frames: 75, track_count: 0, tracks: [] },
});
const override = (startSec: number) => ({ startSec, endSec: startSec + 1, faceId: 0 });
/** Lets `status` answer with an analysis. */
const tells =
  (model: string): Wire =>
  async ({ url }, pass) =>
    url.includes('/status/') ? Response.json(told(model)) : pass();

test('local and remote results of one source are one: the newest complete one', async () => {
  const { sync } = setUp({ wire: tells('active_speaker') });
  const local = await sync.submit({ url: fakeUrl(3) });
  await sync.idle();
  const remote = await sync.submit({ url: fakeUrl(3) }, { ...allowed, where: 'remote' });
  await sync.idle();
  // Newer, but a part of a result only: it is not mixed into the other.
  for (const { id } of [local, remote]) {
    const result = await sync.resultOf(id);
    expect(result).toMatchObject({ resultSource: 'local', source: { url: fakeUrl(3), durationSec: 3 } });
    expect(Object.keys(result!.parts)).toHaveLength(4);
  }
  await sync.close();
});

test('of a source that only the remote service saw its part is kept', async () => {
  const { sync } = setUp({ ...toRemote, wire: tells('active_speaker') });
  const { id } = await sync.submit({ url: fakeUrl(3) }, allowed);
  expect(await sync.resultOf(id)).toBeUndefined();
  await sync.idle();
  const result = await sync.resultOf(id);
  expect(result).toMatchObject({ resultSource: 'remote', parts: { active_speaker: { total_frames: 75 } } });
  await sync.close();
});

test('corrections survive every new result of the source and a reload, until they are replaced', async () => {
  const { sync, reopen } = setUp({ wire: tells('scene_detection') });
  const first = await sync.submit({ url: fakeUrl(3) }, { ...allowed, where: 'remote' });
  await sync.correct(first.id, [override(0), override(1)]);
  await sync.idle();
  const second = await sync.submit({ url: fakeUrl(3) });
  const other = await sync.submit({ url: fakeUrl(4) });
  await sync.idle();
  await sync.close();
  const again = reopen();
  expect(await again.resultOf(second.id)).toMatchObject({
    resultSource: 'local',
    overrides: [override(0), override(1)],
  });
  expect((await again.resultOf(other.id))!.overrides).toEqual([]);
  await again.correct(second.id, [override(1)]);
  for (const { id } of [first, second]) expect((await again.resultOf(id))!.overrides).toEqual([override(1)]);
  await expect(again.correct('none', [])).rejects.toThrow(RangeError);
  await again.close();
});
