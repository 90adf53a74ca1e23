import { createReframer, type ReframerOptions } from '../../src/index.js';
import { createLocalService, type LocalService, openBrowserStore } from '../../src/service/index.js';
import type { PageAssets } from '../command-page.js';

/** How the command line wants the service; plain data. */
export type ServeSetup = {
  readonly engine: Pick<ReframerOptions, 'device'>;
  readonly assets: PageAssets;
  readonly apiKeys: readonly string[];
  readonly credits?: number;
  readonly advance: 'auto' | 'poll';
  /** Where this page's server fetches an address for it. */
  readonly sourceUrl: string;
};

/** A request and an answer on their way between the server's process and the page. Bodies in base64. */
export type WireRequest = {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly [string, string][];
  readonly body?: string;
};
export type WireAnswer = {
  readonly status: number;
  readonly headers: readonly [string, string][];
  /** Whether a body follows, to be asked for piece by piece. */
  readonly hasBody: boolean;
};

declare global {
  var startService: (setup: ServeSetup) => Promise<void>;
  var stopService: () => Promise<void>;
  var answerRequest: (request: WireRequest) => Promise<WireAnswer>;
  /** The next piece of an answer's body, in base64; undefined at its end. */
  var readBody: (id: number) => Promise<string | undefined>;
  var cancelBody: (id: number) => Promise<void>;
}

let service: LocalService | undefined;
const bodies = new Map<number, ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>>();

globalThis.startService = async ({ engine, assets, sourceUrl, ...options }) => {
  const { ffmpeg, modelsUrl, manifest } = assets;
  const reframer = createReframer({
    ...engine,
    models: { ...(modelsUrl && { base: modelsUrl }), ...(manifest && { manifest }) },
    ffmpeg,
  });
  service = createLocalService({
    ...options,
    reframer,
    store: await openBrowserStore(),
    fetch: fetchThrough(sourceUrl),
  });
};

globalThis.stopService = async () => service?.close();

globalThis.answerRequest = async ({ id, method, url, headers, body }) => {
  const bytes = body === undefined ? undefined : await (await fetch(`data:;base64,${body}`)).arrayBuffer();
  const init = { method, headers: new Headers(headers as [string, string][]), ...(bytes && { body: bytes }) };
  const response = await service!.fetch(new Request(url, init));
  if (response.body) bodies.set(id, response.body.getReader());
  return { status: response.status, headers: [...response.headers], hasBody: response.body !== null };
};

globalThis.readBody = async id => {
  const next = await bodies.get(id)!.read();
  if (!next.done) return toBase64(next.value);
  bodies.delete(id);
  return undefined;
};

globalThis.cancelBody = async id => {
  await bodies.get(id)?.cancel();
  bodies.delete(id);
};
globalThis.ready = true;

/** Other hosts need not allow this page to read them: the server's process fetches for it. */
function fetchThrough(sourceUrl: string): typeof fetch {
  return async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const response = await fetch(`${sourceUrl}?url=${encodeURIComponent(url)}`, init);
    if (response.headers.has('X-Unreachable')) throw new TypeError(`${url} does not answer`);
    return response;
  };
}

function toBase64(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve((reader.result as string).split(',')[1]!);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(new Blob([bytes]));
  });
}
