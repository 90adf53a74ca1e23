import { expect, test } from 'vitest';
import { fakeUrl } from '../fixtures/fake-pipeline.js';
import { jobSteps, keys, type ServiceDriver } from './service-driver.js';

/** What the document of the service says, endpoint by endpoint. */
export function testDocumented(driver: ServiceDriver): void {
  const { start, send, post, get, settle, runJob, reframeByHand, download } = driver;
  test('speaker detection: 200 with task_id, pending and a hint where to poll', async () => {
    await start();
    const { status, body } = await post('/api/vad/analyze', { video_url: fakeUrl(2) });
    expect(status).toBe(200);
    expect(body).toEqual({ task_id: expect.any(String), status: 'pending', message: expect.any(String) });
    expect(body.message).toContain(`/api/vad/result/${body.task_id}`);
    expect((await get(`/api/vad/result/${body.task_id}`)).status).toBe(200);
  });

  test('speaker detection without video_url: 400 in these words', async () => {
    await start();
    const { status, body } = await post('/api/vad/analyze', {});
    expect(status).toBe(400);
    expect(body).toEqual({ error: 'Missing required field: video_url' });
  });

  test.each([
    ['no key', ''],
    ['a wrong key', 'wrong-key'],
    ['the beginning of a key', keys[0]!.slice(0, -1)],
    ['a key and more', `${keys[0]}x`],
  ])('speaker detection with %s: 401 in these words', async (_name, key) => {
    await start();
    const { status, body } = await post('/api/vad/analyze', { video_url: fakeUrl(2) }, key);
    expect(status).toBe(401);
    expect(body).toEqual({ error: 'Invalid API key' });
  });

  test('speaker detection without its backend: 502 in these words', async () => {
    await start({ backend: 'down' });
    const { status, body } = await post('/api/vad/analyze', { video_url: fakeUrl(2) });
    expect(status).toBe(502);
    expect(body).toEqual({ error: 'Failed to connect to CV service' });
  });

  test.each([
    ['GET', '/api/vad/result/some'],
    ['POST', '/api/v2/reframe'],
    ['GET', '/api/v2/reframe/some'],
    ['GET', '/api/v2/download/some?suffix=_reframe'],
    ['POST', '/api/v2/ingest'],
    ['POST', '/api/v2/analyze'],
    ['POST', '/api/v2/transform'],
    ['GET', '/api/v2/status/some'],
  ])('%s %s needs a key', async (method, path) => {
    await start();
    expect((await send(method, path, {}, 'wrong-key')).status).toBe(401);
  });

  test('each key is as good as the other', async () => {
    await start();
    expect((await post('/api/v2/reframe', { url: fakeUrl(2) }, keys[1])).status).toBe(202);
  });

  test('a reframe job begins with 202, processing, ingesting', async () => {
    await start();
    const { status, body } = await post('/api/v2/reframe', { url: fakeUrl(2) });
    expect(status).toBe(202);
    expect(body).toEqual({ job_id: expect.any(String), status: 'processing', step: 'ingesting' });
  });

  test('all fields of a reframe request are taken', async () => {
    await start();
    const body = await runJob(9, { start_time: 1.5, end_time: 8, llm: true, diarization: true });
    expect(body).toMatchObject({ status: 'completed' });
  });

  test('polls name the steps in their order and end with video_id and download_url', async () => {
    await start();
    const { body } = await post('/api/v2/reframe', { url: fakeUrl(2) });
    const seen = new Set<string>();
    const end = await settle(`/api/v2/reframe/${body.job_id}`, ({ status, step }) => {
      expect(status).toMatch(/^(processing|completed)$/);
      if (status === 'processing') seen.add(step as string);
    });
    expect([...seen]).toEqual(jobSteps.filter(step => seen.has(step)));
    expect(seen).toContain('active_speaker');
    expect(end).toMatchObject({ status: 'completed', video_id: expect.any(String) });
    expect(end.download_url).toBe(`/api/v2/download/${end.video_id}?suffix=_reframe`);
  });

  test('the clip is downloaded as binary video, again and again, with the key', async () => {
    await start({ credits: 5 });
    const { download_url } = await runJob(5);
    for (let i = 0; i < 3; i++) {
      const response = await send('GET', download_url as string);
      expect(response.status).toBe(200);
      expect(response.headers.get('Content-Type')).toMatch(/^video\//);
      expect((await response.arrayBuffer()).byteLength).toBe(1000);
    }
    expect((await send('GET', download_url as string, {}, 'wrong-key')).status).toBe(401);
  });

  test('too few credits: the job fails, and nothing is charged', async () => {
    await start({ credits: 12 });
    expect((await runJob(13)).status).toBe('failed');
    expect((await runJob(12)).status).toBe('completed');
  });

  test('a job costs its length in seconds, rounded down, once', async () => {
    await start({ credits: 30 });
    const first = await runJob(12.9);
    await send('GET', first.download_url as string).then(response => response.arrayBuffer());
    expect((await runJob(12.9)).status).toBe('completed');
    expect((await runJob(7)).status).toBe('failed');
    expect((await runJob(6.99)).status).toBe('completed');
  });

  test('of equal jobs at once as many succeed as there are credits for', async () => {
    await start({ credits: 45 });
    const ends = await Promise.all(Array.from({ length: 10 }, () => runJob(10)));
    expect(ends.filter(({ status }) => status === 'completed')).toHaveLength(4);
    expect((await runJob(5)).status).toBe('completed');
  });

  test('the granular sequence ends with a clip', async () => {
    await start();
    const response = await download(await reframeByHand(3));
    expect(response.status).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBe(1000);
  });

  test('granular work is charged when its clip is downloaded, once per video', async () => {
    await start({ credits: 9 });
    const first = await reframeByHand(5.5);
    const second = await reframeByHand(5.5);
    for (let i = 0; i < 2; i++) await download(first).then(response => response.arrayBuffer());
    const refused = await download(second);
    expect(refused.ok).toBe(false);
    await refused.body?.cancel();
    // 4 are left: a job of 4 seconds is the proof.
    expect((await runJob(4.2)).status).toBe('completed');
  });
}
