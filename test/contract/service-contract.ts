import { afterEach, describe, expect, test } from 'vitest';
import { fakeHost, fakeUrl } from '../fixtures/fake-pipeline.js';

/** How a case wants the service to be. Keys are always asked for, and jobs advance by polls. */
export type ServiceSetup = {
  readonly apiKeys: readonly string[];
  readonly credits?: number;
  readonly backend: 'up' | 'down';
};

/** A service under test; videos are those of `fakeUrl`. */
export type ServiceUnderTest = {
  readonly baseUrl: string;
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
};

export type ServiceImplementation = {
  readonly name: string;
  open(setup: ServiceSetup): Promise<ServiceUnderTest>;
  /** Groups of cases that do not apply, with the reason. */
  readonly skip?: Partial<Readonly<Record<'ours', string>>>;
};

type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly response: Response;
};

const keys = ['first-key', 'second-key-which-is-longer'];
/** Polls until a job must have ended: a fake job has five steps. */
const pollLimit = 2000;
const jobSteps = ['ingesting', 'scene_detection', 'face_tracking', 'active_speaker', 'reframe'];
const onFaces = { face_tracking_model: 'face_tracking_yolov8' };

/** Every case of the REST contract: first what its document says, then what we add where it shows nothing. */
export function testService(implementation: ServiceImplementation): void {
  describe(implementation.name, () => testEndpoints(implementation));
}

function testEndpoints({ open, skip }: ServiceImplementation): void {
  let service: ServiceUnderTest;
  afterEach(() => service.close());
  const start = async (setup: Partial<ServiceSetup> = {}) => {
    service = await open({ apiKeys: keys, backend: 'up', ...setup });
  };
  const send = (method: string, path: string, init: RequestInit = {}, key: string | undefined = keys[0]) =>
    service.fetch(
      new Request(new URL(path, service.baseUrl), {
        method,
        ...init,
        headers: { ...(key && { Authorization: `Bearer ${key}` }), ...init.headers },
      }),
    );
  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text();
    return { status: response.status, body: text ? JSON.parse(text) : {}, response };
  };
  const post = async (path: string, body: unknown, key?: string) =>
    answerOf(
      await send(
        'POST',
        path,
        { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } },
        key,
      ),
    );
  const get = async (path: string, key?: string) => answerOf(await send('GET', path, {}, key));

  /** Polls until something is no longer under way. */
  const settle = async (path: string, seen: (body: Record<string, unknown>) => void = () => {}) => {
    for (let i = 0; i < pollLimit; i++) {
      const { body } = await get(path);
      seen(body);
      if (body.status === 'completed' || body.status === 'failed') return body;
      await new Promise(resolve => setTimeout(resolve, 1));
    }
    throw new Error(`${path} did not end`);
  };
  const runJob = async (seconds: number, more: object = {}) => {
    const { body } = await post('/api/v2/reframe', { url: fakeUrl(seconds), ...more });
    return settle(`/api/v2/reframe/${body.job_id}`);
  };
  const runStep = async (path: string, body: { video_id: unknown } & Record<string, unknown>) => {
    const { status } = await post(path, body);
    expect(status).toBeLessThan(300);
    return settle(`/api/v2/status/${body.video_id}`);
  };
  const ingest = async (seconds: number) => {
    const { body } = await post('/api/v2/ingest', { url: fakeUrl(seconds) });
    await settle(`/api/v2/status/${body.video_id}`);
    return body.video_id as string;
  };
  const reframeByHand = async (seconds: number) => {
    const video_id = await ingest(seconds);
    for (const model_type of ['scene_detection', 'face_tracking_yolov8', 'active_speaker'])
      await runStep('/api/v2/analyze', { video_id, model_type, parameters: onFaces });
    await runStep('/api/v2/transform', { video_id, transform_type: 'reframe', parameters: onFaces });
    return video_id;
  };
  const download = (videoId: string, init?: RequestInit, method = 'GET') =>
    send(method, `/api/v2/download/${videoId}?suffix=_reframe`, init);

  describe('as its document says it', () => {
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
  });

  describe.skipIf(skip?.ours)('what we define where the document shows nothing', () => {
    const refusal = (code: string) => ({ error: expect.stringMatching(/\w/), code });

    test.each([
      ['a body that is not JSON', '{"url":'],
      ['a body that is no object', '7'],
      ['no url', '{}'],
      ['a url that is no text', '{"url":7}'],
      ['a url that is no address', '{"url":"talk.mp4"}'],
      ['a file of the machine', '{"url":"file:///etc/passwd"}'],
      ['a script', '{"url":"javascript:alert(1)"}'],
      ['a password in the address', '{"url":"https://me:secret@media.test/2.mp4"}'],
      ['a time that is no number', `{"url":"${fakeUrl(2)}","start_time":"1"}`],
      ['a time before the start', `{"url":"${fakeUrl(2)}","start_time":-1}`],
      ['an end before the start', `{"url":"${fakeUrl(2)}","start_time":1,"end_time":1}`],
      ['a flag that is no boolean', `{"url":"${fakeUrl(2)}","llm":"yes"}`],
    ])('%s is 400', async (_name, body) => {
      await start();
      const headers = { 'Content-Type': 'application/json' };
      const { status, body: answer } = await answerOf(
        await send('POST', '/api/v2/reframe', { body, headers }),
      );
      expect(status).toBe(400);
      expect(answer).toEqual(refusal('invalid_request'));
    });

    test('another content type is 415, a huge body 413', async () => {
      await start();
      const other = await send('POST', '/api/v2/ingest', {
        body: '{}',
        headers: { 'Content-Type': 'text/plain' },
      });
      expect(await answerOf(other)).toMatchObject({ status: 415, body: refusal('unsupported_media_type') });
      const huge = await post('/api/v2/ingest', { url: `data:video/mp4,${'x'.repeat(5 << 20)}` });
      expect(huge).toMatchObject({ status: 413, body: refusal('too_large') });
    });

    test.each([
      '/api/v2/reframe/none',
      '/api/v2/status/none',
      '/api/v2/download/none?suffix=_reframe',
      '/api/v2/nothing',
      '/api/v2/reframe/%ff',
    ])('%s is 404', async path => {
      await start();
      expect(await get(path)).toMatchObject({ status: 404, body: refusal('not_found') });
    });

    test('errors of speaker detection have one field', async () => {
      await start();
      expect((await get('/api/vad/result/none')).body).toEqual({ error: expect.any(String) });
    });

    test('the speaker detection task ends with every frame', async () => {
      await start();
      const { body } = await post('/api/vad/analyze', { video_url: fakeUrl(2) });
      const end = await settle(`/api/vad/result/${body.task_id}`);
      expect(end).toMatchObject({ task_id: body.task_id, status: 'completed' });
      const { frames, total_frames } = end.result as { frames: object[]; total_frames: number };
      expect(frames).toHaveLength(total_frames);
      expect(frames[0]).toMatchObject({ frame_number: 0, timestamp: 0, speaking: true });
    });

    test('a range beyond the end fails the job, and costs nothing', async () => {
      await start({ credits: 5 });
      const end = await runJob(5, { start_time: 1, end_time: 6 });
      expect(end).toMatchObject({ status: 'failed', code: 'invalid_request' });
      expect((await runJob(5)).status).toBe('completed');
    });

    test('a job says what it could not do', async () => {
      await start();
      const { notes } = (await runJob(5, { llm: true, diarization: true })) as { notes: string[] };
      expect(notes.map(note => note.split(':')[0])).toEqual(['llm', 'diarization']);
    });

    test('a source that is not there fails the job', async () => {
      await start();
      const { body } = await post('/api/v2/reframe', { url: `${fakeHost}/none` });
      const end = await settle(`/api/v2/reframe/${body.job_id}`);
      expect(end).toMatchObject({ status: 'failed', code: 'source_unreachable' });
    });

    test('a step whose predecessor is not completed is 409', async () => {
      await start();
      const video_id = await ingest(2);
      for (const [path, step] of [
        ['/api/v2/analyze', { model_type: 'active_speaker', parameters: onFaces }],
        ['/api/v2/analyze', { model_type: 'face_tracking_yolov8' }],
        ['/api/v2/transform', { transform_type: 'reframe', parameters: onFaces }],
        ['/api/v2/transform', { transform_type: 'reframe_llm' }],
      ] as const) {
        expect(await post(path, { video_id, ...step })).toMatchObject({
          status: 409,
          body: refusal('conflict'),
        });
      }
      expect((await get(`/api/v2/status/${video_id}`)).body).toMatchObject({
        step: 'ingest',
        status: 'completed',
      });
    });

    test('analyze and transform name their step and its parameters, else 400', async () => {
      await start();
      const video_id = await ingest(2);
      for (const body of [
        { video_id },
        { video_id, model_type: 'magic' },
        { video_id, model_type: 'active_speaker' },
        { video_id, model_type: 'active_speaker', parameters: { face_tracking_model: 'other' } },
        { model_type: 'scene_detection' },
      ]) {
        expect(await post('/api/v2/analyze', body)).toMatchObject({ status: 400 });
      }
      expect(await post('/api/v2/transform', { video_id, transform_type: 'reframe' })).toMatchObject({
        status: 400,
      });
    });

    test.each(['transcription', 'diarization'])('%s without its model fails its step', async model_type => {
      await start();
      const video_id = await ingest(2);
      const end = await runStep('/api/v2/analyze', { video_id, model_type });
      expect(end).toMatchObject({ step: model_type, status: 'failed', code: 'model_unavailable' });
      expect(end.error).toMatch(/not installed/);
    });

    test('a completed analysis is the result of its status', async () => {
      await start();
      const video_id = await ingest(2);
      const end = await runStep('/api/v2/analyze', { video_id, model_type: 'scene_detection' });
      expect(end).toMatchObject({ video_id, step: 'scene_detection', status: 'completed', progress: 1 });
      expect(end.result).toMatchObject({ model: 'scene_detection', scene_count: 1 });
    });

    test('downloads tell length and name, and give ranges', async () => {
      await start();
      const { video_id } = await runJob(3);
      const id = video_id as string;
      const whole = await download(id);
      const bytes = new Uint8Array(await whole.arrayBuffer());
      expect(whole.headers.get('Content-Length')).toBe('1000');
      expect(whole.headers.get('Content-Disposition')).toContain('_reframe.mp4');
      for (const [range, from, to] of [
        ['bytes=0-0', 0, 1],
        ['bytes=10-19', 10, 20],
        ['bytes=990-', 990, 1000],
        ['bytes=-5', 995, 1000],
        ['bytes=900-5000', 900, 1000],
      ] as const) {
        const part = await download(id, { headers: { Range: range } });
        expect(part.status).toBe(206);
        expect(part.headers.get('Content-Range')).toBe(`bytes ${from}-${to - 1}/1000`);
        expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.subarray(from, to));
      }
      const beyond = await download(id, { headers: { Range: 'bytes=1000-' } });
      expect([beyond.status, beyond.headers.get('Content-Range')]).toEqual([416, 'bytes */1000']);
      const nonsense = await download(id, { headers: { Range: 'lines=1-2' } });
      expect([nonsense.status, (await nonsense.arrayBuffer()).byteLength]).toEqual([200, 1000]);
    });

    test('HEAD tells what a download would send, and costs nothing', async () => {
      await start({ credits: 3 });
      const video_id = await reframeByHand(3);
      const head = await download(video_id, {}, 'HEAD');
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '1000']);
      expect((await head.arrayBuffer()).byteLength).toBe(0);
      expect((await runJob(3)).status).toBe('completed');
      expect(await answerOf(await download(video_id))).toMatchObject({
        status: 402,
        body: refusal('insufficient_credits'),
      });
    });

    test('the description of the service lists every endpoint', async () => {
      await start();
      const { body } = await get('/api/openapi.json');
      expect(body.openapi).toMatch(/^3\.1/);
      expect(Object.keys(body.paths as object)).toHaveLength(9);
    });
  });
}
