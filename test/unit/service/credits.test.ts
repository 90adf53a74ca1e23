import { expect, test } from 'vitest';
import { createLedger, priceOf } from '../../../src/service/credits.js';
import { createLocalService, createMemoryStore } from '../../../src/service/index.js';
import { createFakePipeline, fakeMedia } from '../../fixtures/fake-pipeline.js';

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

test('of fifty equal jobs at once, one of them broken, exactly as many succeed as there are credits for', async () => {
  const store = createMemoryStore();
  const service = createLocalService({ reframer: createFakePipeline(), store, credits: 200 });
  const good = await service.put(fakeMedia({ seconds: 10 }));
  const broken = await service.put(fakeMedia({ seconds: 10, fails: 'render' }));
  const send = (path: string, body?: object) =>
    service.fetch(
      new Request(`http://service.test${path}`, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        headers: { 'Content-Type': 'application/json' },
      }),
    );
  const posts = Array.from({ length: 50 }, (_, i) =>
    send('/api/v2/reframe', { url: i === 3 ? broken : good }),
  );
  const ids = await Promise.all(posts.map(async post => (await (await post).json()).job_id));
  const end = async (id: string): Promise<{ status: string; code?: string }> => {
    for (;;) {
      const body = await (await send(`/api/v2/reframe/${id}`)).json();
      if (body.status !== 'processing') return body;
      await new Promise(resolve => setTimeout(resolve, 1));
    }
  };
  const ends = await Promise.all(ids.map(end));
  const succeeded = ends.filter(({ status }) => status === 'completed').length;
  // The broken one held its ten credits when the others asked: they were refused then and there.
  expect(succeeded).toBe(19);
  expect(ends.filter(({ code }) => code === 'insufficient_credits')).toHaveLength(30);
  const again = await (await send('/api/v2/reframe', { url: good })).json();
  expect((await end(again.job_id)).status).toBe('completed');
  const charged = (await store.all('ledger')).filter(({ kind }) => kind === 'charge');
  expect(charged.reduce((sum, { credits }) => sum + credits, 0)).toBe(200);
  await service.close();
});
