import { ReframeError, statusOf } from '../schema/error.js';
import { askPage, findPage, type PageClient } from './ask-page.js';

/** As much of a `FetchEvent` as is used. */
export type FetchEventLike = {
  /** The request to answer. */
  readonly request: Request;
  /** Takes the answer, as a promise. */
  respondWith(response: Promise<Response>): void;
};

/** What a service worker answers with beside the page that runs the service. Default: nothing. */
export type HandleOptions = {
  /** Answers what storage alone can tell: `createStoredAnswers` of `edge-reframe/service`. */
  readonly stored?: (request: Request) => Promise<Response | undefined>;
  /** Sends requests to the remote service instead of this device. Default: none. */
  readonly remote?: {
    /** Address of the remote service; its paths are appended. */
    readonly baseUrl: string;
    /** API key of the remote service. Default: none is sent. */
    readonly apiKey?: string;
    /** Which requests go there. */
    readonly when: (request: Request) => boolean;
  };
};

/** The service's paths. */
const ours = /^\/api\/(vad|v2)\/|^\/api\/openapi\.json$/;
/** Seconds after which to ask again when no page runs the service. */
const retryAfterSec = 5;

type Clients = {
  get(id: string): Promise<PageClient | undefined>;
  matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly PageClient[]>;
};

/** The page that answered last. Lost whenever the browser stops the worker, and then found again. */
let lastPage: string | undefined;

/**
 * Answers requests to the service's paths on this origin; call it from the `fetch` listener of your own service worker.
 *
 * @returns Whether the service takes the request; other requests are yours to answer.
 */
export function handleFetch(event: FetchEventLike, options: HandleOptions = {}): boolean {
  const { request } = event;
  const url = new URL(request.url);
  if (url.origin !== globalThis.location.origin || !ours.test(url.pathname)) return false;
  event.respondWith(answer(request, options));
  return true;
}

async function answer(request: Request, { stored, remote }: HandleOptions): Promise<Response> {
  if (remote?.when(request)) return forward(request, remote);
  const known = await stored?.(request);
  if (known) return known;
  try {
    return (await askPages(request)) ?? nobody(request);
  } catch {
    // The page was closed over the request, or its service broke down.
    return nobody(request);
  }
}

async function askPages(request: Request): Promise<Response | undefined> {
  const { clients } = globalThis as unknown as { clients: Clients };
  const exists = async (id: string) => (await clients.get(id)) !== undefined;
  const last = lastPage && (await clients.get(lastPage));
  const response = last ? await askPage(last, request, exists) : undefined;
  if (response) return response;
  const page = await findPage(await clients.matchAll({ type: 'window', includeUncontrolled: true }));
  lastPage = page?.id;
  return page && askPage(page, request, exists);
}

function forward(
  request: Request,
  { baseUrl, apiKey }: NonNullable<HandleOptions['remote']>,
): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  if (apiKey) headers.set('Authorization', `Bearer ${apiKey}`);
  const target = new URL(pathname.slice(1) + search, baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  const body =
    request.method === 'GET' || request.method === 'HEAD' ? {} : { body: request.body, duplex: 'half' };
  return fetch(new Request(target, { method: request.method, headers, signal: request.signal, ...body }));
}

/** Nobody can work. Speaker detection has its own words for that. */
function nobody(request: Request): Response {
  const isSpeakers = new URL(request.url).pathname.startsWith('/api/vad/');
  const { code, message } = isSpeakers
    ? new ReframeError('cv_backend_unreachable')
    : new ReframeError('unavailable', 'No open page runs the service.');
  return Response.json(isSpeakers ? { error: message } : { error: message, code }, {
    status: statusOf(code),
    headers: { 'Retry-After': String(retryAfterSec) },
  });
}
