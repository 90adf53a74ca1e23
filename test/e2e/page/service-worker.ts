import { createStoredAnswers, openBrowserStore } from '../../../src/service/index.js';
import { handleFetch } from '../../../src/service-worker/index.js';

const worker = globalThis as unknown as {
  addEventListener(type: string, listener: (event: never) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};
type Event = Parameters<typeof handleFetch>[0] & { waitUntil(work: Promise<unknown>): void };

const stored = createStoredAnswers(openBrowserStore, ['first-key', 'second-key-which-is-longer']);
worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('activate', (event: Event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener('fetch', (event: Event) => {
  const remote = {
    baseUrl: new URL('/remote', globalThis.location.href).href,
    when: ({ headers }: Request) => headers.has('X-Remote'),
  };
  handleFetch(event, { stored, remote });
});
