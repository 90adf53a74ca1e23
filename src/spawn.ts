import { type Connection, connectTasks, linkWorker } from './rpc/connect.js';
import { startForeignWorker } from './rpc/foreign-worker.js';
import type { Tasks } from './rpc/protocol.js';

/** Scripts of the workers. */
export type WorkerUrls = Readonly<Partial<Record<'analysis' | 'plan' | 'render', string | URL>>>;
type WorkerKind = keyof WorkerUrls;

export type SpawnOptions = {
  readonly assetBaseUrl?: string | URL;
  readonly workerUrls?: WorkerUrls;
};

/**
 * Starts one of the library's workers.
 *
 * Bundlers find the literals below and emit the workers; a script from another origin may not be a worker,
 * but a small module of this page may import it (that host must allow cross-origin reads).
 */
export function spawnWorker<Offered extends Tasks>(
  kind: WorkerKind,
  options: SpawnOptions,
): Connection<Offered> {
  return connectTasks(linkWorker(startWorker(kind, options)));
}

function startWorker(kind: WorkerKind, { assetBaseUrl, workerUrls }: SpawnOptions): Worker {
  const script = `workers/${kind}.worker.js`;
  const asked = workerUrls?.[kind] ?? (assetBaseUrl && new URL(script, asFolder(assetBaseUrl)));
  if (asked) {
    const { href } = new URL(asked, location.href);
    return startForeignWorker(href, href) ?? new Worker(href, { type: 'module' });
  }
  const foreign = startForeignWorker(`../${script}`, import.meta.url);
  if (foreign) return foreign;
  return literals[kind]();
}

const literals: Readonly<Record<WorkerKind, () => Worker>> = {
  analysis: () => new Worker(new URL('../workers/analysis.worker.js', import.meta.url), { type: 'module' }),
  plan: () => new Worker(new URL('../workers/plan.worker.js', import.meta.url), { type: 'module' }),
  render: () => new Worker(new URL('../workers/render.worker.js', import.meta.url), { type: 'module' }),
};

/** With a slash at its end, or its last name would be replaced. */
const asFolder = (url: string | URL): URL => new URL(String(url).replace(/\/?$/, '/'), location.href);
