import { expect, test } from 'vitest';
import { createClient, type ReframeJob } from '../../../src/client/index.js';
import { createLocalService } from '../../../src/service/index.js';
import { createFakePipeline, fakeFetch, fakeUrl } from '../../fixtures/fake-pipeline.js';
import { createStandInRemote } from '../../fixtures/stand-in-remote.js';

const apiKey = 'the-key';
const quick = { firstPauseSec: 0.001, longestPauseSec: 0.001 };
const services = [
  [
    'the local service',
    () => createLocalService({ reframer: createFakePipeline(), apiKeys: [apiKey], fetch: fakeFetch }),
  ],
  ['a stand-in for the remote service', () => createStandInRemote({ apiKeys: [apiKey] })],
] as const;

test.each(services)('the same code runs against %s', async (_name, open) => {
  const client = createClient({ baseUrl: 'http://service.test/', apiKey, fetch: open().fetch });
  const { job_id } = await client.reframe({ url: fakeUrl(3) });
  const states: ReframeJob[] = [];
  for await (const state of client.watch(job_id, quick)) states.push(state);
  const end = states.at(-1)!;
  if (end.status !== 'completed') throw new Error(JSON.stringify(end));
  const { stream } = await client.download(end.video_id);
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(1000);

  const { video_id } = await client.ingest(fakeUrl(3));
  const settle = async () => {
    for await (const { status, error } of client.watchVideo(video_id, quick))
      expect([status, error]).not.toContain('failed');
  };
  await settle();
  const parameters = { face_tracking_model: 'face_tracking_yolov8' } as const;
  for (const model_type of ['scene_detection', 'face_tracking_yolov8', 'active_speaker'] as const) {
    await client.analyze({ video_id, model_type, parameters });
    await settle();
  }
  await client.transform({ video_id, transform_type: 'reframe', parameters });
  await settle();
  expect((await client.download(video_id)).stream).toBeInstanceOf(ReadableStream);

  const { task_id } = await client.analyzeSpeakers(fakeUrl(3));
  expect(task_id).toMatch(/\w/);
});

test('a refusal carries the service’s code and words', async () => {
  const { fetch } = createLocalService({ reframer: createFakePipeline(), apiKeys: [apiKey] });
  const stranger = createClient({ baseUrl: 'http://service.test', apiKey: 'other', fetch });
  await expect(stranger.job('x')).rejects.toMatchObject({ name: 'ReframeError', code: 'unauthorized' });
  const client = createClient({ baseUrl: 'http://service.test', apiKey, fetch });
  await expect(client.job('x')).rejects.toMatchObject({ code: 'not_found' });
});

test('an answer that is none of the contract is not taken for one', async () => {
  const client = createClient({ baseUrl: 'http://x.test', fetch: async () => Response.json({ hello: 1 }) });
  await expect(client.reframe({ url: fakeUrl(1) })).rejects.toMatchObject({ code: 'internal' });
});

test('watching outlives a service that is away for a moment, and ends with the signal', async () => {
  let asked = 0;
  const answers = [503, 200, 500];
  const client = createClient({
    baseUrl: 'http://x.test',
    async fetch() {
      const status = answers[asked++ % 3]!;
      if (status !== 200) return Response.json({ error: 'away', code: 'unavailable' }, { status });
      return Response.json({ status: 'processing', step: 'ingesting' });
    },
  });
  const controller = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const { status } of client.watch('x', { ...quick, signal: controller.signal })) {
      seen.push(status);
      controller.abort(new Error('enough'));
    }
  })();
  await expect(watching).rejects.toThrow('enough');
  expect(seen).toEqual(['processing']);
});

test('a service that stays away is given up', async () => {
  let asked = 0;
  const fetch = async () => {
    asked++;
    throw new TypeError('no network');
  };
  const client = createClient({ baseUrl: 'http://x.test', fetch });
  const watch = client.watch('x', { ...quick, patience: 2 });
  await expect(watch.next()).rejects.toMatchObject({ code: 'unavailable' });
  expect(asked).toBe(3);
});
