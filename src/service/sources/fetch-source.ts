import { isQuotaExceeded, ReframeError } from '../../schema/error.js';
import type { Files } from '../storage/files.js';
import { type Address, readConfirmation } from './address.js';

/** Characters of a Drive page that are looked at: confirmation pages are a few kilobytes. */
const pageLimit = 1 << 20;

/**
 * Copies a source into the store.
 *
 * @throws ReframeError `source_unreachable`, `source_forbidden`, or `quota_exceeded` before anything is written when
 *   the host tells a length that does not fit.
 */
export async function copySource(
  address: Address & { readonly url: string },
  name: string,
  { files, fetch, signal }: { files: Files; fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<void> {
  const request = (url: string) => fetchOrExplain(url, fetch, signal);
  let response = await request(address.url);
  if (address.kind === 'drive' && isPage(response)) {
    const next = readConfirmation((await response.text()).slice(0, pageLimit), response.url || address.url);
    if (next) response = await request(next);
    if (!next || isPage(response)) {
      await response.body?.cancel().catch(() => undefined);
      throw new ReframeError(
        'source_forbidden',
        'Google Drive shows a page instead of the file. Share it with "anyone with the link", or try again tomorrow if it was fetched too often.',
      );
    }
  }
  const expected = Number(response.headers.get('Content-Length') ?? Number.NaN);
  const encoded = response.headers.has('Content-Encoding');
  await checkRoom(files, Number.isNaN(expected) ? 0 : expected);
  const draft = await files.create(name);
  let received = 0;
  const counter = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, out) {
      received += chunk.length;
      out.enqueue(chunk);
    },
  });
  try {
    if (!response.body) throw new ReframeError('source_unreachable', `${address.url} is empty.`);
    await response.body.pipeThrough(counter).pipeTo(draft.writable, { signal, preventClose: true });
    if (!encoded && received < expected)
      throw new ReframeError(
        'source_unreachable',
        `${address.url} broke off after ${received} of ${expected} bytes.`,
      );
    await draft.commit();
  } catch (error) {
    await draft.discard();
    signal.throwIfAborted();
    if (error instanceof ReframeError) throw error;
    if (isQuotaExceeded(error)) throw noRoom(received);
    throw new ReframeError('source_unreachable', `${address.url} broke off.`, { cause: error });
  }
}

/** @throws ReframeError `quota_exceeded` when so many bytes do not fit. */
export async function checkRoom(files: Files, sizeBytes: number): Promise<void> {
  const free = await files.freeBytes();
  if (free !== undefined && sizeBytes > free) throw noRoom(sizeBytes);
}

const noRoom = (sizeBytes: number) =>
  new ReframeError('quota_exceeded', `${(sizeBytes / 2 ** 20).toFixed(1)} MiB do not fit.`);

const isPage = (response: Response): boolean =>
  response.headers.get('Content-Type')?.startsWith('text/html') ?? false;

async function fetchOrExplain(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    signal.throwIfAborted();
    const answers = await fetch(url, { signal, mode: 'no-cors', method: 'HEAD' }).then(
      () => true,
      () => false,
    );
    throw answers
      ? new ReframeError(
          'source_forbidden',
          `${url} sends no Access-Control-Allow-Origin for this page. Pass a fetch option that goes through a proxy.`,
          { cause },
        )
      : new ReframeError('source_unreachable', `${url} does not answer.`, { cause });
  }
  if (response.ok) return response;
  await response.body?.cancel().catch(() => undefined);
  throw new ReframeError(
    [401, 403].includes(response.status) ? 'source_forbidden' : 'source_unreachable',
    `${url} answered ${response.status}.`,
  );
}

/** What tells whether an address still holds the same bytes; empty where the host does not tell. */
export async function fingerprintUrl(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): Promise<{ etag?: string; sizeBytes?: number }> {
  const response = await fetch(url, { signal, headers: { Range: 'bytes=0-0' } }).catch(() => undefined);
  if (!response) return {};
  await response.body?.cancel().catch(() => undefined);
  const etag = response.headers.get('ETag');
  const size = Number(/\/(\d+)$/.exec(response.headers.get('Content-Range') ?? '')?.[1] ?? Number.NaN);
  return { ...(etag && { etag }), ...(!Number.isNaN(size) && { sizeBytes: size }) };
}
