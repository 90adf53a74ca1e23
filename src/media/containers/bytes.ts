import { ReframeError } from '../../schema/error.js';

/** Where the bytes of a file come from: memory or disk (a Blob), or a server that is read in ranges. */
export type Bytes = {
  readonly kind: 'blob' | 'url';
  /** What to call the file in messages. */
  readonly name: string;
  readonly blob?: Blob;
  readonly url?: string;
  readonly fetch: typeof fetch;
  /** Bytes `start` to `end` (exclusive); shorter at the end of the file. */
  read(start: number, end: number): Promise<Uint8Array<ArrayBuffer>>;
};

/** A network that does not answer is asked this often in all; a wrong address fails at once. */
export const fetchAttempts = 3;

/** @param blob - A File from a picker, or any Blob; read piece by piece, as needed. */
export function bytesOfBlob(blob: Blob): Bytes {
  return {
    kind: 'blob',
    name: blob instanceof File ? blob.name : 'the video',
    blob,
    fetch: globalThis.fetch.bind(globalThis),
    read: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}

/**
 * Checks that an address can be read before anything else looks at it, because a demuxer's own errors do not tell
 * a missing file from a refused one.
 *
 * @throws ReframeError `source_unreachable`, or `source_forbidden` where the host answers but does not let this page read.
 */
export async function bytesOfUrl(
  address: URL | string,
  fetcher: typeof fetch = globalThis.fetch.bind(globalThis),
  signal?: AbortSignal,
): Promise<Bytes> {
  const url = new URL(address, globalThis.location?.href).href;
  const name = url.startsWith('data:') ? 'the data URL' : url;
  const request = async (start: number, end: number): Promise<Response> => {
    const response = await fetcher(url, {
      headers: { Range: `bytes=${start}-${end - 1}` },
      ...(signal && { signal }),
    }).catch(async error => {
      signal?.throwIfAborted();
      throw await refusal(url, fetcher, error);
    });
    if (response.ok || response.status === 416) return response;
    await response.body?.cancel();
    throw new ReframeError(
      [401, 403].includes(response.status) ? 'source_forbidden' : 'source_unreachable',
      `${name} answered ${response.status}. Check the address.`,
    );
  };
  // Local addresses need no ranges: the browser holds their bytes already.
  if (/^(blob|data):/.test(url)) {
    const response = await request(0, Number.MAX_SAFE_INTEGER);
    return { ...bytesOfBlob(await response.blob()), name };
  }
  await (await request(0, 1)).body?.cancel();
  return {
    kind: 'url',
    name,
    url,
    fetch: fetcher,
    async read(start, end) {
      const response = await request(start, end);
      if (response.status === 416) return new Uint8Array();
      if (response.status === 206) return new Uint8Array(await response.arrayBuffer());
      return readPart(response, start, end);
    },
  };
}

/**
 * The whole file as a Blob, for a reader that cannot fetch ranges. The browser decides whether the Blob lies
 * in memory or on disk.
 *
 * @throws ReframeError `source_unreachable` if the download breaks.
 */
export async function toBlob(bytes: Bytes, signal?: AbortSignal): Promise<Blob> {
  if (bytes.blob) return bytes.blob;
  try {
    const response = await bytes.fetch(bytes.url!, signal ? { signal } : {});
    if (response.ok) return await response.blob();
    throw new ReframeError('source_unreachable', `${bytes.name} answered ${response.status}.`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ReframeError) throw error;
    throw new ReframeError('source_unreachable', `${bytes.name} broke off.`, { cause: error });
  }
}

/**
 * A refused cross-origin read and a dead host give the same TypeError. An opaque request tells them apart: it
 * succeeds when the host answers, whatever the host allows.
 */
async function refusal(url: string, fetcher: typeof fetch, cause: unknown): Promise<ReframeError> {
  const crossOrigin = new URL(url).origin !== globalThis.location?.origin;
  const answers =
    crossOrigin &&
    (await fetcher(url, { mode: 'no-cors', method: 'HEAD' }).then(
      () => true,
      () => false,
    ));
  return answers
    ? new ReframeError('source_forbidden', `${url} sends no Access-Control-Allow-Origin for this page.`, {
        cause,
      })
    : new ReframeError('source_unreachable', `${url} does not answer. Check the address and the network.`, {
        cause,
      });
}

/** A server without ranges sends everything: take what was asked for and drop the connection. */
async function readPart(response: Response, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const out = new Uint8Array(end - start);
  let position = 0;
  const reader = response.body!.getReader();
  try {
    while (position < end) {
      const { done, value } = await reader.read();
      if (done) break;
      const from = Math.max(0, start - position);
      const part = value.subarray(Math.min(from, value.length), Math.min(value.length, end - position));
      if (part.length) out.set(part, Math.max(0, position - start));
      position += value.length;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
  return out.subarray(0, Math.max(0, Math.min(position, end) - start));
}
