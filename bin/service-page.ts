import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { Page } from 'playwright';
import { type CommandPage, openCommandPage } from './command-page.js';
import type { ModelFolder } from './model-folder.js';
import type { ServeSetup } from './page/serve.js';

/** The service in a headless browser, as `Request` → `Response` in this process. */
export type ServicePage = {
  fetch(request: Request): Promise<Response>;
  /** Settles when the browser goes away by itself. */
  readonly gone: Promise<void>;
  readonly library: CommandPage;
  close(): Promise<void>;
};

export type ServicePageOptions = Pick<ServeSetup, 'engine' | 'apiKeys' | 'credits' | 'advance'> & {
  /** Folder of the browser's profile: jobs, results and clips. */
  readonly profile: string;
  readonly models: ModelFolder | undefined;
};

/** Bytes of a request's body that are handed on; the service refuses what is longer than its own, smaller limit. */
const bodyLimitBytes = 8 << 20;

export async function openServicePage({
  profile,
  models,
  ...setup
}: ServicePageOptions): Promise<ServicePage> {
  const library = await openCommandPage('serve', {
    profile,
    models,
    routes: {
      source: (request, response) => {
        const { searchParams } = new URL(request.url!, 'http://page');
        void fetchSource(searchParams.get('url') ?? '', request, response);
      },
    },
  });
  const { page } = library;
  try {
    await page.evaluate(given => globalThis.startService(given), {
      ...setup,
      sourceUrl: `${library.base}source`,
      assets: library.assets,
    } satisfies ServeSetup);
  } catch (error) {
    await library.close();
    throw error;
  }
  let nextId = 0;
  return {
    library,
    gone: new Promise(resolve => {
      page.once('crash', () => resolve());
      page.once('close', () => resolve());
    }),
    async fetch(request) {
      const id = nextId++;
      const body = await readAtMost(request, bodyLimitBytes);
      const answer = await page.evaluate(given => globalThis.answerRequest(given), {
        id,
        method: request.method,
        url: request.url,
        headers: [...request.headers],
        ...(body && { body }),
      });
      const { status, headers, hasBody } = answer;
      return new Response(hasBody ? bodyOf(page, id) : null, {
        status,
        headers: headers as [string, string][],
      });
    },
    async close() {
      await page.evaluate(() => globalThis.stopService()).catch(() => undefined);
      await library.close();
    },
  };
}

/** A body that is read in the page, one piece for each that is wanted here. */
function bodyOf(page: Page, id: number): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(out) {
        const piece = await page.evaluate(given => globalThis.readBody(given), id);
        if (piece === undefined) out.close();
        else out.enqueue(Buffer.from(piece, 'base64'));
      },
      cancel: () => page.evaluate(given => globalThis.cancelBody(given), id).catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}

async function readAtMost(request: Request, limitBytes: number): Promise<string | undefined> {
  if (!request.body) return undefined;
  const pieces: Uint8Array[] = [];
  let received = 0;
  for await (const piece of request.body as unknown as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    received += piece.length;
    if (received > limitBytes) break;
  }
  return Buffer.concat(pieces).toString('base64');
}

/** Fetches an address for the page, which itself may read its own server only. */
async function fetchSource(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const { range } = request.headers;
    const answer = await fetch(url, { signal: gone.signal, ...(range && { headers: { Range: range } }) });
    const passed = ['content-type', 'content-range', 'etag'];
    // Decoded on the way: its length is no longer the one that is told.
    if (!answer.headers.has('content-encoding')) passed.push('content-length');
    const headers = passed.flatMap(name => {
      const value = answer.headers.get(name);
      return value ? [[name, value] as const] : [];
    });
    response.writeHead(answer.status, Object.fromEntries(headers));
    if (answer.body) await pipeline(Readable.fromWeb(answer.body as NodeStream), response);
    else response.end();
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(502, { 'X-Unreachable': '1' }).end();
  }
}
