import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Answers the requests for one path. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void;

/** A server for one page of this machine. */
export type PageServer = {
  /** What all of its addresses begin with: origin, and a folder whose name nobody can guess. */
  readonly base: string;
  readonly port: number;
  close(): Promise<void>;
};

const headers = {
  // More than one wasm thread needs a page that is isolated from other origins.
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  // Another start has another folder: what a profile kept of this one would never be asked for again.
  'Cache-Control': 'no-store',
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

/**
 * Serves a page to the browser that this program opens, and nothing to anybody else. Every program and every open web
 * page of this machine can reach the port; they get 404, whatever they ask: paths are compared as they were sent, begin
 * with a random folder, and count only under the page's own host and from its own origin.
 *
 * @param routes - By path in that folder, without a slash at the beginning.
 * @param host - Name by which the page knows the server; absent: its address and port.
 */
export async function servePage(routes: Readonly<Record<string, Route>>, host?: string): Promise<PageServer> {
  const folder = `/${randomUUID()}/`;
  const known = new Map(Object.entries(routes).map(([path, route]) => [folder + path, route]));
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const { method, url = '' } = request;
    const route = isOwn(request, ownHost) && method === 'GET' ? known.get(url.split('?')[0]!) : undefined;
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const ownHost = host ?? `127.0.0.1:${port}`;
  return {
    base: `http://${ownHost}${folder}`,
    port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A stranger's page may make its own name point here, or ask from its own origin. */
const isOwn = ({ headers: { host, origin } }: IncomingMessage, ownHost: string): boolean =>
  host === ownHost && (origin === undefined || origin === `http://${ownHost}`);

/** Answers with a file, read anew each time; 404 when it is gone. */
export const fileRoute =
  (path: string): Route =>
  (_request, response) => {
    const file = createReadStream(path);
    file.once('error', () => (response.headersSent ? response.destroy() : response.writeHead(404).end()));
    file.once('open', () => {
      response.writeHead(200, typeOf(path));
      // A browser that leaves in the middle is no error here.
      pipeline(file, response).catch(() => {});
    });
  };

/** Answers with what a file of this name would hold. */
export const bytesRoute =
  (name: string, bytes: Uint8Array): Route =>
  (_request, response) =>
    response.writeHead(200, { ...typeOf(name), 'Content-Length': bytes.length }).end(bytes);

const typeOf = (name: string) => ({ 'Content-Type': types[extname(name)] ?? 'application/octet-stream' });
