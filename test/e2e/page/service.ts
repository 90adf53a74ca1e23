import {
  answerWorker,
  createLocalService,
  type LedgerEntry,
  type LocalService,
  openBrowserStore,
  untilControlled,
  type VideoSummary,
} from '../../../src/service/index.js';
import type { ServiceSetup } from '../../contract/service-driver.js';
import { createFakePipeline, fakeFetch, fakeMedia } from '../../fixtures/fake-pipeline.js';

/** A request and its answer as plain data. */
export type PageRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: readonly [string, string][];
  readonly body?: string;
};
export type PageAnswer = {
  readonly status: number;
  readonly headers: readonly [string, string][];
  readonly body: number[];
};

declare global {
  /** Without `worker` requests go to the page's own service, as `send` does then. */
  var openService: (setup: ServiceSetup, how?: { readonly worker: boolean }) => Promise<void>;
  var holdPipeline: (on: boolean) => void;
  var closeService: () => Promise<void>;
  var listVideos: () => Promise<readonly VideoSummary[]>;
  /** Hands in a fake source of so many seconds. */
  var putSource: (seconds: number) => Promise<string>;
  var deleteVideo: (id: string) => Promise<void>;
  /** Whether this page is the one that runs jobs. */
  var runsHere: () => Promise<boolean>;
  var ledgerLines: () => Promise<readonly LedgerEntry[]>;
  /** Plain `fetch` of this page, which the service worker sees. */
  var send: (request: PageRequest) => Promise<PageAnswer>;
}

let service: LocalService | undefined;
let stopAnswering = () => {};
let throughWorker = true;
let pipeline = createFakePipeline();

globalThis.openService = async ({ backend, apiKeys, credits, words }, { worker } = { worker: true }) => {
  throughWorker = worker;
  if (worker) {
    await navigator.serviceWorker.register('service-worker.js');
    await untilControlled();
  }
  pipeline = createFakePipeline({ ...(words && { words }) });
  const store = await openBrowserStore();
  service = createLocalService({
    reframer: backend === 'up' ? pipeline : () => Promise.reject(new Error('the workers do not start')),
    // The fake hands out its clips in memory; the reframer's own worker writes them to the store's folder.
    store: { ...store, files: { ...store.files, clipTarget: 'memory' } },
    apiKeys,
    ...(credits !== undefined && { credits }),
    advance: 'poll',
    fetch: fakeFetch,
  });
  if (worker) stopAnswering = answerWorker(service);
};

globalThis.holdPipeline = on => pipeline.hold(on);

globalThis.listVideos = () => service!.list();
globalThis.putSource = seconds => service!.put(fakeMedia({ seconds }));
globalThis.deleteVideo = id => service!.delete(id);
globalThis.runsHere = () => service!.runsHere();
globalThis.ledgerLines = async () => {
  const store = await openBrowserStore();
  const lines = await store.all('ledger');
  store.close();
  return lines;
};

globalThis.closeService = async () => {
  stopAnswering();
  await service?.close();
  const root = await navigator.storage.getDirectory();
  for await (const name of root.keys()) await root.removeEntry(name, { recursive: true });
  await new Promise((resolve, reject) => {
    const gone = indexedDB.deleteDatabase('edge-reframe');
    gone.onsuccess = resolve;
    gone.onerror = reject;
  });
};

globalThis.send = async ({ method, path, headers, body }) => {
  const request = new Request(path, {
    method,
    headers: headers as [string, string][],
    ...(body !== undefined && { body }),
  });
  const response = await (throughWorker ? fetch(request) : service!.fetch(request));
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], body: [...bytes] };
};
globalThis.ready = true;
