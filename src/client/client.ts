import type { CallOptions } from '../schema/call-options.js';
import { type ErrorCode, errorCodes, ReframeError } from '../schema/error.js';
import {
  type AnalyzeRequest,
  type DownloadName,
  downloadPath,
  ingestRequestSchema,
  parseWire,
  type ReframeAccepted,
  type ReframeJob,
  type ReframeRequest,
  reframeAcceptedSchema,
  reframeJobSchema,
  type TransformRequest,
  type VadAccepted,
  type VadTask,
  type VideoStatus,
  vadAcceptedSchema,
  vadTaskSchema,
  videoStatusSchema,
} from '../schema/job.js';
import { polls, type WatchOptions } from './polls.js';

/** Where the service is, and how to reach it. */
export type ClientOptions = {
  /** Address of the service; its paths are appended. */
  readonly baseUrl: string | URL;
  /** Sent as a bearer token with each request. Default: none is sent. */
  readonly apiKey?: string;
  /** Sends requests, for example a local service's own `fetch`. Default: the global one. */
  readonly fetch?: (request: Request) => Promise<Response>;
};

/** What ends a call before its answer is there. */
export type RequestOptions = Pick<CallOptions, 'signal'>;

/** Which file to download, and from where on. */
export type DownloadOptions = RequestOptions & {
  /** Which file of the video: a clip, or its captions as `transcription.srt` or `.vtt`. Default `reframe`. */
  readonly file?: DownloadName;
  /** First byte to send, to go on with a download that broke off. Default 0. */
  readonly fromByte?: number;
};

/** A download under way. */
export type Download = {
  /** The file's bytes, from `fromByte` on. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Length of what follows; absent where the service does not tell. */
  readonly sizeBytes?: number;
};

/**
 * The service's endpoints, one method each. All methods reject with a `ReframeError`: the code of the
 * service's own refusal, `unavailable` when nobody answers, `internal` when the answer is none that the
 * contract knows.
 */
export type Client = {
  /** Starts a job that makes a reframed clip of a source. */
  reframe(request: ReframeRequest, options?: RequestOptions): Promise<ReframeAccepted>;
  /** Asks once where a reframe job stands. */
  job(jobId: string, options?: RequestOptions): Promise<ReframeJob>;
  /** Adds a source as a video, for `analyze` and `transform`; the answer names its `video_id`. */
  ingest(url: string, options?: RequestOptions): Promise<VideoStatus>;
  /** Starts one analysis of a video. */
  analyze(request: AnalyzeRequest, options?: RequestOptions): Promise<VideoStatus>;
  /** Starts making a clip of a video. */
  transform(request: TransformRequest, options?: RequestOptions): Promise<VideoStatus>;
  /** Asks once where the most recent step of a video stands. */
  status(videoId: string, options?: RequestOptions): Promise<VideoStatus>;
  /** Starts an analysis of who speaks in a video at an address. */
  analyzeSpeakers(videoUrl: string, options?: RequestOptions): Promise<VadAccepted>;
  /** Asks once where an analysis of `analyzeSpeakers` stands. */
  speakers(taskId: string, options?: RequestOptions): Promise<VadTask>;
  /** Opens a clip, or captions, for reading. `unavailable` when the service cannot begin at `fromByte`. */
  download(videoId: string, options?: DownloadOptions): Promise<Download>;
  /** Polls a reframe job until it is completed or failed; each state that differs from the last is given out. */
  watch(jobId: string, options?: WatchOptions): AsyncGenerator<ReframeJob, void, void>;
  /** Polls the most recent step of a video in the same way. */
  watchVideo(videoId: string, options?: WatchOptions): AsyncGenerator<VideoStatus, void, void>;
};

/** Talks to the service, local or remote. */
export function createClient({
  baseUrl,
  apiKey,
  fetch: fetcher = send => globalThis.fetch(send),
}: ClientOptions): Client {
  const base = new URL(baseUrl).href.replace(/\/$/, '');

  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (apiKey) headers.set('Authorization', `Bearer ${apiKey}`);
    let response: Response;
    try {
      response = await fetcher(new Request(base + path, { ...init, headers }));
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new ReframeError('unavailable', `${base} does not answer.`, { cause });
    }
    if (response.ok) return response;
    throw await readRefusal(response);
  };
  const read = async <Schema extends Parameters<typeof parseWire>[0]>(
    schema: Schema,
    path: string,
    init: RequestInit,
  ) => {
    const response = await request(path, init);
    try {
      return parseWire(schema, await response.json());
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new ReframeError('internal', `The answer to ${path} is not one of the contract.`, { cause });
    }
  };
  const get = <Schema extends Parameters<typeof parseWire>[0]>(
    schema: Schema,
    path: string,
    call: RequestOptions = {},
  ) => read(schema, path, { ...call });
  const post = <Schema extends Parameters<typeof parseWire>[0]>(
    schema: Schema,
    path: string,
    body: object,
    call: RequestOptions = {},
  ) =>
    read(schema, path, {
      ...call,
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'Content-Type': 'application/json' },
    });
  const part = encodeURIComponent;

  const client: Client = {
    reframe: (asked, call) => post(reframeAcceptedSchema, '/api/v2/reframe', asked, call),
    job: (id, call) => get(reframeJobSchema, `/api/v2/reframe/${part(id)}`, call),
    ingest: (url, call) =>
      post(videoStatusSchema, '/api/v2/ingest', parseWire(ingestRequestSchema, { url }), call),
    analyze: (asked, call) => post(videoStatusSchema, '/api/v2/analyze', asked, call),
    transform: (asked, call) => post(videoStatusSchema, '/api/v2/transform', asked, call),
    status: (id, call) => get(videoStatusSchema, `/api/v2/status/${part(id)}`, call),
    analyzeSpeakers: (video_url, call) => post(vadAcceptedSchema, '/api/vad/analyze', { video_url }, call),
    speakers: (id, call) => get(vadTaskSchema, `/api/vad/result/${part(id)}`, call),
    async download(videoId, { file = 'reframe', fromByte = 0, signal } = {}) {
      const response = await request(downloadPath(videoId, file), {
        ...(signal && { signal }),
        ...(fromByte > 0 && { headers: { Range: `bytes=${fromByte}-` } }),
      });
      if (fromByte > 0 && response.status !== 206) {
        await response.body?.cancel();
        throw new ReframeError('unavailable', 'The service sends files from their start only.');
      }
      const length = response.headers.get('Content-Length');
      return { stream: response.body!, ...(length && { sizeBytes: Number(length) }) };
    },
    watch: (id, options) => polls(call => client.job(id, call), options),
    watchVideo: (id, options) => polls(call => client.status(id, call), options),
  };
  return client;
}

/** A refusal as the service worded it. Codes that this version does not know become those of their status. */
async function readRefusal(response: Response): Promise<ReframeError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { error, code } = (body ?? {}) as { error?: unknown; code?: unknown };
  const known = errorCodes.find(one => one === code) ?? codeOfStatus[response.status] ?? 'internal';
  return new ReframeError(
    known,
    typeof error === 'string' ? error : `The service answered ${response.status}.`,
  );
}

/** What a status says where the answer has no code: all that a stranger's service gives. */
const codeOfStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'insufficient_credits',
  404: 'not_found',
  409: 'conflict',
  413: 'too_large',
  415: 'unsupported_media_type',
  429: 'unavailable',
  502: 'cv_backend_unreachable',
  503: 'unavailable',
  507: 'quota_exceeded',
};
