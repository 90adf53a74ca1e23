import {
  answerWorker,
  createLocalService,
  type LocalService,
  openBrowserStore,
  untilControlled,
} from '../../../src/service/index.js';
import type { ServiceSetup } from '../../contract/service-contract.js';
import { createFakePipeline, fakeFetch } from '../../fixtures/fake-pipeline.js';

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
  var openService: (setup: ServiceSetup) => Promise<void>;
  var holdPipeline: (on: boolean) => void;
  var closeService: () => Promise<void>;
  /** Plain `fetch` of this page, which the service worker sees. */
  var send: (request: PageRequest) => Promise<PageAnswer>;
}

let service: LocalService | undefined;
let stopAnswering = () => {};
let pipeline = createFakePipeline();

globalThis.openService = async ({ backend, apiKeys, credits }) => {
  await navigator.serviceWorker.register('service-worker.js');
  await untilControlled();
  pipeline = createFakePipeline();
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
  stopAnswering = answerWorker(service);
};

globalThis.holdPipeline = on => pipeline.hold(on);

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
  const response = await fetch(path, {
    method,
    headers: headers as [string, string][],
    ...(body !== undefined && { body }),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers: [...response.headers], body: [...bytes] };
};
globalThis.ready = true;
