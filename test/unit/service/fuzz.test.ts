import { expect, test } from 'vitest';
import { mulberry32 } from '../../../bench/harness/random.js';
import { createLocalService, createMemoryStore } from '../../../src/service/index.js';
import { createFakePipeline, fakeFetch, fakeUrl } from '../../fixtures/fake-pipeline.js';
import { malformedRequests } from '../../fixtures/malformed-requests.js';

test('ten thousand malformed requests are refused, and change nothing', async () => {
  const store = createMemoryStore();
  const pipeline = createFakePipeline();
  const service = createLocalService({ reframer: pipeline, store, fetch: fakeFetch, credits: 100 });
  const post = (body: object) =>
    new Request('http://service.test/api/v2/reframe', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  pipeline.hold(true);
  const { job_id } = await (await service.fetch(post({ url: fakeUrl(10) }))).json();
  const poll = async () =>
    (await service.fetch(new Request(`http://service.test/api/v2/reframe/${job_id}`))).json();
  while ((await poll()).step !== 'active_speaker') await new Promise(resolve => setTimeout(resolve, 1));
  const before = JSON.stringify([await store.all('videos'), await store.all('ledger')]);

  const statuses = new Map<number, number>();
  for (const { method, path, headers, body } of malformedRequests(10_000, mulberry32(5))) {
    const init = { method, headers: new Headers(headers as [string, string][]), ...(body && { body }) };
    const response = await service.fetch(new Request(`http://service.test${path}`, init));
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  // 200 is the description of the service, which anybody may read here.
  expect([...statuses.keys()].sort()).toEqual([200, 400, 404, 415]);
  expect(JSON.stringify([await store.all('videos'), await store.all('ledger')])).toBe(before);
  pipeline.hold(false);
  while ((await poll()).status === 'processing') await new Promise(resolve => setTimeout(resolve, 1));
  expect((await poll()).status).toBe('completed');
  await service.close();
});
