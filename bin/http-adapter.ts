import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';

/** A service on a port of this machine. */
export type HttpService = {
  readonly url: string;
  /** Stops listening, lets answers under way end for a moment, then cuts them off. */
  close(): Promise<void>;
};

/** Milliseconds that an answer under way may still take when the server closes. */
const graceMs = 2000;

/**
 * Listens on the loopback interface and answers with what `fetch` gives. Requests that name another host are turned
 * away: a page of a stranger could make its own name point here.
 */
export async function listenOnLoopback(
  fetch: (request: Request) => Promise<Response>,
  port: number,
): Promise<HttpService> {
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing, fetch).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (!address || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise(resolve => {
        const cut = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

const ownNames = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  if (!ownNames.test(incoming.headers.host ?? '')) {
    outgoing.writeHead(403).end();
    return;
  }
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  const request = toRequest(incoming, gone.signal);
  const response = request ? await fetch(request) : notHttp();
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (!response.body) {
    outgoing.end();
    return;
  }
  await pipeline(Readable.fromWeb(response.body as NodeStream), outgoing);
}

const notHttp = () =>
  Response.json({ error: 'The request is not valid.', code: 'invalid_request' }, { status: 400 });

/** Undefined for what is no request at all: `Request` knows fewer methods and addresses than HTTP. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method = 'GET', url = '/', rawHeaders } = incoming;
  try {
    const headers = new Headers();
    for (let i = 0; i < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : undefined;
    const address = new URL(url, `http://${incoming.headers.host}`);
    const init = { method, headers, signal, ...(body && { body, duplex: 'half' }) };
    return new Request(address, init);
  } catch {
    return undefined;
  }
}
