import { describe, expect, test } from 'vitest';
import { createLocalService, createMemoryStore, type LocalService } from '../../../../src/service/index.js';
import { createLedger, priceOf } from '../../../../src/service/jobs/credits.js';
import { createFakePipeline, fakeMedia } from '../../../fixtures/fake-pipeline.js';

test('credits that are held are spent until they are released', () => {
  const ledger = createLedger([], 10, () => 0);
  expect(ledger.hold('a', 6, 'job a')).toHaveLength(1);
  expect(ledger.hold('a', 6, 'job a')).toEqual([]);
  expect(ledger.hold('b', 5, 'job b')).toBeUndefined();
  expect(ledger.available).toBe(4);
  ledger.release('a', 'failed');
  ledger.hold('b', 5, 'job b');
  ledger.charge('b', 'job b');
  expect([ledger.charge('b', 'again'), ledger.release('b', 'again'), ledger.hold('b', 5, 'again')]).toEqual([
    [],
    [],
    [],
  ]);
  expect([ledger.available, ledger.isCharged('a'), ledger.isCharged('b')]).toEqual([5, false, true]);
  expect(ledger.entries.map(({ line, kind, credits, video_id }) => [line, kind, credits, video_id])).toEqual([
    [0, 'hold', 6, 'a'],
    [1, 'release', 6, 'a'],
    [2, 'hold', 5, 'b'],
    [3, 'charge', 5, 'b'],
  ]);
  expect(createLedger(ledger.entries, 10).available).toBe(5);
});

test('lines that could not be stored are taken back', () => {
  const ledger = createLedger([], 10);
  const lines = ledger.hold('a', 6, 'job a')!;
  ledger.undo(lines);
  expect([ledger.available, ledger.entries]).toEqual([10, []]);
});

test('a credit is a whole second', () => {
  expect([0.99, 1, 12.999].map(priceOf)).toEqual([0, 1, 12]);
});

describe.each(['auto', 'poll'] as const)('fifty equal jobs at once that advance by %s', advance => {
  test.each(['ingest', 'analyse', 'render'] as const)(
    'of which one fails in its %s: exactly as many succeed as there are credits for',
    async fails => {
      const store = createMemoryStore();
      const service = createLocalService({ reframer: createFakePipeline(), store, credits: 200, advance });
      const good = await service.put(fakeMedia({ seconds: 10 }));
      const broken = await service.put(
        fails === 'ingest' ? new Blob(['no video']) : fakeMedia({ seconds: 10, fails }),
      );
      const posts = Array.from({ length: 50 }, (_, i) =>
        send(service, '/api/v2/reframe', { url: i === 3 ? broken : good }),
      );
      const ids = (await Promise.all(posts)).map(({ job_id }) => job_id);
      const ends = await Promise.all(ids.map(id => end(service, id)));
      expect(ends.filter(({ status }) => status === 'completed')).toHaveLength(20);
      expect(ends[3]).toMatchObject({ status: 'failed', code: expect.not.stringMatching('credits') });
      expect(ends.filter(({ code }) => code === 'insufficient_credits')).toHaveLength(29);
      const charged = (await store.all('ledger')).filter(({ kind }) => kind === 'charge');
      expect(charged.map(({ credits }) => credits)).toEqual(Array(20).fill(10));
      expect(new Set(charged.map(({ video_id }) => video_id)).size).toBe(20);
      await service.close();
    },
  );
});

test('a job waits for credits that a running one may give back, and says so', async () => {
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, credits: 10 });
  pipeline.hold(true);
  const first = await send(service, '/api/v2/reframe', {
    url: await service.put(fakeMedia({ seconds: 10 })),
  });
  await until(service, first.job_id, ({ step }) => step === 'active_speaker');
  const url = await service.put(fakeMedia({ seconds: 6 }));
  const second = await send(service, '/api/v2/reframe', { url });
  await until(service, second.job_id, ({ waiting_for }) => waiting_for === 'insufficient_credits');
  expect(pipeline.calls.filter(call => call !== 'probe')).toHaveLength(1);
  const [video] = (await service.list()).filter(({ job_id }) => job_id === first.job_id);
  pipeline.hold(false);
  await service.delete(video!.video_id);
  expect(await end(service, second.job_id)).toMatchObject({ status: 'completed' });
  await service.close();
});

test('a polled job does not wait for one that nobody polls', async () => {
  const service = createLocalService({ reframer: createFakePipeline(), credits: 10, advance: 'poll' });
  const url = await service.put(fakeMedia({ seconds: 10 }));
  const first = await send(service, '/api/v2/reframe', { url });
  await until(service, first.job_id, ({ step }) => step !== 'ingesting');
  const second = await send(service, '/api/v2/reframe', { url });
  expect(await end(service, second.job_id)).toMatchObject({ status: 'failed', code: 'insufficient_credits' });
  expect(await end(service, first.job_id)).toMatchObject({ status: 'completed' });
  await service.close();
});

type Answer = Record<string, string> & { job_id: string };

async function send(service: LocalService, path: string, body?: object): Promise<Answer> {
  const init = {
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'Content-Type': 'application/json' },
  };
  return (await service.fetch(new Request(`http://service.test${path}`, init))).json();
}

/** Polls a job until its answer is the one that is waited for. */
async function until(service: LocalService, id: string, isIt: (body: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const body = await send(service, `/api/v2/reframe/${id}`);
    if (isIt(body)) return body;
    await new Promise(resolve => setTimeout(resolve, 1));
  }
}
const end = (service: LocalService, id: string) =>
  until(service, id, ({ status }) => status !== 'processing');
