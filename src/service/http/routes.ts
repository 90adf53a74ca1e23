import { Hono } from 'hono';
import { isReframeError, ReframeError, statusOf } from '../../schema/error.js';
import {
  analyzeRequestSchema,
  ingestRequestSchema,
  parseWire,
  type Refusal,
  reframeRequestSchema,
  transformRequestSchema,
  vadRequestSchema,
} from '../../schema/job.js';
import type { Desk } from '../jobs/desk.js';
import { isAllowed } from './keys.js';
import { describeApi } from './openapi.js';
import { readJson } from './read-json.js';

/** Seconds after which a client may ask again where the service cannot answer just now. */
const retryAfterSec = 5;

/**
 * The REST contract as `Request` → `Response`.
 *
 * @param desk - Opens when the service is ready; rejects with `unavailable` where it cannot be.
 * @param keys - Accepted API keys; none means that everybody may.
 */
export function createRoutes(
  desk: () => Promise<Desk>,
  keys: readonly string[],
): (request: Request) => Promise<Response> {
  const app = new Hono();

  app.use(async (c, next) => {
    if (!isAllowed(c.req.raw.headers.get('Authorization'), keys)) throw new ReframeError('unauthorized');
    await next();
  });
  app.post('/api/vad/analyze', async c => {
    const { video_url } = await readSpeakerRequest(c.req.raw);
    return c.json(await (await desk()).analyzeSpeakers(video_url), 200);
  });
  app.get('/api/vad/result/:taskId', async c =>
    c.json(await (await desk()).speakersOf(c.req.param('taskId'))),
  );
  app.post('/api/v2/reframe', async c => {
    const asked = parseWire(reframeRequestSchema, await readJson(c.req.raw));
    return c.json(await (await desk()).reframe(asked), 202);
  });
  app.get('/api/v2/reframe/:jobId', async c => c.json((await desk()).jobOf(c.req.param('jobId'))));
  app.post('/api/v2/ingest', async c => {
    const { url } = parseWire(ingestRequestSchema, await readJson(c.req.raw));
    return c.json(await (await desk()).ingest(url), 202);
  });
  app.post('/api/v2/analyze', async c => {
    const asked = parseWire(analyzeRequestSchema, await readJson(c.req.raw));
    return c.json(await (await desk()).analyze(asked), 202);
  });
  app.post('/api/v2/transform', async c => {
    const asked = parseWire(transformRequestSchema, await readJson(c.req.raw));
    return c.json(await (await desk()).transform(asked), 202);
  });
  app.get('/api/v2/status/:videoId', async c =>
    c.json(await (await desk()).statusOf(c.req.param('videoId'))),
  );
  app.get('/api/v2/download/:videoId', async c => (await desk()).download(c.req.param('videoId'), c.req.raw));
  app.get('/api/openapi.json', c => c.json(describeApi(keys.length > 0)));
  app.notFound(c => {
    throw new ReframeError('not_found', `${c.req.method} ${c.req.path} is no endpoint.`);
  });
  app.onError((error, c) => refuse(error, c.req.path));
  return async request => app.fetch(request);
}

/** The speaker detection endpoint has one sentence for every body that does not name a video. */
async function readSpeakerRequest(request: Request): Promise<{ video_url: string }> {
  try {
    return parseWire(vadRequestSchema, await readJson(request));
  } catch (cause) {
    throw new ReframeError('invalid_request', undefined, { cause: new Error(missingVideoUrl, { cause }) });
  }
}

const missingVideoUrl = 'Missing required field: video_url';

/** Any error as an answer. `/api/vad` answers one field and, where the contract gives them, its exact words. */
function refuse(error: unknown, path: string): Response {
  const isSpeakers = path.startsWith('/api/vad/');
  const { known, isAway } = understand(error, isSpeakers);
  const status = statusOf(known.code);
  const headers: HeadersInit = {
    'Content-Type': 'application/json',
    ...(isAway && { 'Retry-After': String(retryAfterSec) }),
    ...(known.code === 'unauthorized' && { 'WWW-Authenticate': 'Bearer' }),
  };
  const sentence =
    known.cause instanceof Error && known.cause.message === missingVideoUrl ? missingVideoUrl : known.message;
  const body: Refusal = isSpeakers ? { error: sentence } : { error: known.message, code: known.code };
  return new Response(JSON.stringify(body), { status, headers });
}

/** Speaker detection has words of its own for a service that cannot answer just now. */
function understand(error: unknown, isSpeakers: boolean): { known: ReframeError; isAway: boolean } {
  if (!isReframeError(error))
    return {
      known: new ReframeError('internal', error instanceof Error ? error.message : undefined),
      isAway: false,
    };
  const isAway = error.code === 'unavailable';
  return { known: isAway && isSpeakers ? new ReframeError('cv_backend_unreachable') : error, isAway };
}
