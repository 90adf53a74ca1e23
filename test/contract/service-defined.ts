import { expect, test } from 'vitest';
import { fakeHost, fakeUrl } from '../fixtures/fake-pipeline.js';
import { onFaces, type ServiceDriver } from './service-driver.js';

/** What we define where the document shows nothing. */
export function testDefined(driver: ServiceDriver): void {
  const {
    start,
    send,
    post,
    get,
    settle,
    runJob,
    runStep,
    ingest,
    reframeByHand,
    download,
    downloadWords,
    answerOf,
  } = driver;
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
    const { status, body: answer } = await answerOf(await send('POST', '/api/v2/reframe', { body, headers }));
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
    expect(notes.map(note => note.split(':')[0])).toEqual(['llm']);
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

  test('diarization is a step like the others, and one of a job that asks for it', async () => {
    await start();
    const video_id = await ingest(2);
    const end = await runStep('/api/v2/analyze', { video_id, model_type: 'diarization' });
    expect(end).toMatchObject({ step: 'diarization', status: 'completed', result: { speaker_count: 1 } });
    const { body } = await post('/api/v2/reframe', { url: fakeUrl(2), diarization: true });
    const seen = new Set<unknown>();
    const job = await settle(`/api/v2/reframe/${body.job_id}`, ({ step }) => void seen.add(step));
    expect(job.status).toBe('completed');
    expect([...seen]).toContain('diarization');
  });

  test('transcription without its model fails its step, and says how to get it', async () => {
    await start({ words: 'missing' });
    const video_id = await ingest(2);
    const end = await runStep('/api/v2/analyze', { video_id, model_type: 'transcription' });
    expect(end).toMatchObject({ step: 'transcription', status: 'failed', code: 'model_unavailable' });
    expect(end.error).toMatch(/--add words/);
  });

  test('a job that wants words without their model fails, and costs nothing', async () => {
    await start({ words: 'missing', credits: 5 });
    const end = await runJob(5, { transcription: true });
    expect(end).toMatchObject({ status: 'failed', code: 'model_unavailable', step: 'transcription' });
    expect((await runJob(5)).status).toBe('completed');
  });

  test('a transcript is the result of its step, and downloaded as captions, charged like a clip', async () => {
    await start({ credits: 2 });
    const video_id = await ingest(2);
    expect((await downloadWords(video_id, 'srt')).status).toBe(404);
    const end = await runStep('/api/v2/analyze', { video_id, model_type: 'transcription' });
    expect(end).toMatchObject({ step: 'transcription', status: 'completed', result: { text: 'So it is.' } });
    const head = await downloadWords(video_id, 'vtt', {}, 'HEAD');
    expect(head.headers.get('Content-Type')).toBe('text/vtt');
    const vtt = await (await downloadWords(video_id, 'vtt')).text();
    expect(vtt).toMatch(/^WEBVTT\nLanguage: en\n/);
    expect(Number(head.headers.get('Content-Length'))).toBe(new TextEncoder().encode(vtt).length);
    const srt = await downloadWords(video_id, 'srt');
    expect(srt.headers.get('Content-Type')).toBe('application/x-subrip');
    expect(srt.headers.get('Content-Disposition')).toContain(`${video_id}_transcription.srt`);
    expect(await srt.text()).toMatch(/^1\n00:00:00,000 --> [\d:,]+\nSo it is\.\n$/);
    const part = await downloadWords(video_id, 'srt', { headers: { Range: 'bytes=0-1' } });
    expect([part.status, await part.text()]).toEqual([206, '1\n']);
    // Two seconds for all of these together: nothing is left.
    expect((await runJob(1)).status).toBe('failed');
  });

  test('a job that wants words makes them too, on the clock of its clip', async () => {
    await start({ credits: 5 });
    const { status, video_id } = await runJob(5, { transcription: true, start_time: 2, end_time: 4 });
    expect(status).toBe('completed');
    const srt = await (await downloadWords(video_id as string, 'srt')).text();
    expect(srt).toMatch(/^1\n00:00:00,000 -->/);
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
}
