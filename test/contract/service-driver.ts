import { afterEach, expect } from 'vitest';
import { fakeUrl } from '../fixtures/fake-pipeline.js';

/** How a case wants the service to be. Keys are always asked for, and jobs advance by polls. */
export type ServiceSetup = {
  readonly apiKeys: readonly string[];
  readonly credits?: number;
  readonly backend: 'up' | 'down';
  /** Whether the recogniser's files are there. Default `there`. */
  readonly words?: 'there' | 'missing';
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

export type Answer = {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly response: Response;
};

export const keys = ['first-key', 'second-key-which-is-longer'];
/** Polls until a job must have ended: a fake job has five steps. */
export const pollLimit = 2000;
export const jobSteps = ['ingesting', 'scene_detection', 'face_tracking', 'active_speaker', 'reframe'];
export const onFaces = { face_tracking_model: 'face_tracking_yolov8' };

/** Talks to one service per test; it is closed after each. */
export function createServiceDriver({ open }: Pick<ServiceImplementation, 'open'>) {
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
  const downloadWords = (videoId: string, format: 'srt' | 'vtt', init?: RequestInit, method = 'GET') =>
    send(method, `/api/v2/download/${videoId}?suffix=_transcription.${format}`, init);
  return {
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
    opened: () => service,
  };
}

export type ServiceDriver = ReturnType<typeof createServiceDriver>;
