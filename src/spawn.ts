import { type Connection, connectTasks, linkWorker } from './rpc/connect.js';
import type { Tasks } from './rpc/protocol.js';

/** Scripts of the two workers. */
export type WorkerUrls = { readonly analysis?: string | URL; readonly render?: string | URL };

export type SpawnOptions = {
  readonly assetBaseUrl?: string | URL;
  readonly workerUrls?: WorkerUrls;
};

/**
 * Starts one of the library's workers.
 *
 * Bundlers find the two literals below and emit the workers; a script from another origin may not be a worker,
 * but a small module of this page may import it (that host must allow cross-origin reads).
 */
export function spawnWorker<Offered extends Tasks>(
  kind: 'analysis' | 'render',
  { assetBaseUrl, workerUrls }: SpawnOptions,
): Connection<Offered> {
  const asked =
    workerUrls?.[kind] ?? (assetBaseUrl && new URL(`workers/${kind}.worker.js`, absolute(assetBaseUrl)));
  if (asked) return connectTasks(linkWorker(fromUrl(absolute(asked))));
  if (new URL(import.meta.url).origin !== location.origin && import.meta.url.startsWith('http')) {
    return connectTasks(linkWorker(fromUrl(new URL(`../workers/${kind}.worker.js`, import.meta.url))));
  }
  const worker =
    kind === 'analysis'
      ? new Worker(new URL('../workers/analysis.worker.js', import.meta.url), { type: 'module' })
      : new Worker(new URL('../workers/render.worker.js', import.meta.url), { type: 'module' });
  return connectTasks(linkWorker(worker));
}

const absolute = (url: string | URL): URL => new URL(url, location.href);

function fromUrl(url: URL): Worker {
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const module = new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' });
  const moduleUrl = URL.createObjectURL(module);
  try {
    return new Worker(moduleUrl, { type: 'module' });
  } finally {
    // The worker has taken its script by the time its first message can arrive; a minute is far beyond that.
    setTimeout(() => URL.revokeObjectURL(moduleUrl), 60_000);
  }
}
