import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** A static file server, as dumb as they come. */
export type FolderServer = AsyncDisposable & { readonly origin: string };

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.mp4': 'video/mp4',
};

/**
 * Serves folders of this machine on a free port.
 *
 * @param folders - Folder by URL prefix; prefixes begin and end with a slash, and the first that fits counts.
 * @param headers - Sent with every answer.
 */
export async function serveFolders(
  folders: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<FolderServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const prefix = Object.keys(folders).find(start => pathname.startsWith(start));
    const rest = decodeURIComponent(pathname.slice(prefix?.length ?? 0)) || 'index.html';
    const path = prefix && !rest.includes('..') ? join(folders[prefix]!, rest) : undefined;
    const stat = path ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (!path || !stat?.isFile()) {
      response.writeHead(404, headers).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': types[extname(path)] ?? 'application/octet-stream',
      'Content-Length': stat.size,
      ...headers,
    });
    createReadStream(path).pipe(response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
