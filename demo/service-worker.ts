// The page's own service worker: whatever this origin has answered once is there without a network too.

type FetchEvent = Event & { readonly request: Request; respondWith(answer: Promise<Response>): void };
type LifeEvent = Event & { waitUntil(work: Promise<unknown>): void };
type WorkerScope = {
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  skipWaiting(): Promise<void>;
  readonly clients: { claim(): Promise<void> };
  readonly registration: { readonly scope: string };
};

const scope = globalThis as unknown as WorkerScope;
const cacheName = 'edge-reframe-page-1';

scope.addEventListener('install', event => {
  // The page itself was loaded before there was a worker to remember it.
  const keep = async () => {
    const cache = await caches.open(cacheName);
    await cache.addAll(['./', './sample.mp4', './manifest.webmanifest', './icon.svg']);
    const html = await (await cache.match('./'))!.text();
    const assets = [...html.matchAll(/(?:src|href)="(\.\/assets\/[^"]+)"/g)].map(match => match[1]!);
    await cache.addAll(assets);
    await scope.skipWaiting();
  };
  event.waitUntil(keep());
});

scope.addEventListener('activate', event => event.waitUntil(scope.clients.claim()));

scope.addEventListener('fetch', event => {
  const { request } = event;
  const mine = request.url.startsWith(scope.registration.scope);
  // Parts of files, as players ask for them, are not kept.
  if (request.method !== 'GET' || !mine || request.headers.has('range')) return;
  if (request.mode === 'navigate') event.respondWith(newest(request, './'));
  else event.respondWith(request.url.includes('/assets/') ? kept(request) : newest(request, request.url));
});

/** From the network, so that a new version is seen, else as it was last time. */
async function newest(request: Request, key: string): Promise<Response> {
  const cache = await caches.open(cacheName);
  try {
    const answer = await fetch(request);
    if (answer.status === 200) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    const before = await cache.match(key);
    if (before) return before;
    throw error;
  }
}

/** Assets have their content in their names: they never change. */
async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  const before = await cache.match(request.url);
  if (before) return before;
  const answer = await fetch(request);
  if (answer.status === 200) await cache.put(request.url, answer.clone());
  return answer;
}
