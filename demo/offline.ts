/** How long the first visit waits for its service worker, milliseconds; it needs less than a second. */
const patienceMs = 4000;

/**
 * Registers the page's service worker.
 *
 * @returns Settles when it watches over this page, so that everything that is loaded from then on is there offline
 * too; without one (an old browser, a private window, a page under development) soon as well.
 */
export async function keepOffline(): Promise<void> {
  // While developing, a cache that answers first would only be in the way.
  const { serviceWorker } = navigator;
  if (!import.meta.env.PROD || !serviceWorker) return;
  const controlled = new Promise<void>(resolve => {
    if (serviceWorker.controller) resolve();
    serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true });
    setTimeout(resolve, patienceMs);
  });
  const failed = await serviceWorker.register('./service-worker.js').then(
    () => false,
    () => true,
  );
  if (!failed) await controlled;
}

/** Code that is only loaded when asked for by name: a reader of rare files, larger than all the rest together. */
const onRequest = /ffmpeg-core|webgpu/;

/**
 * Has the service worker keep the code that this visit has not needed yet, such as the one that exports, and drop
 * what an older version of the page has left. Models and runtimes are kept when they are used.
 *
 * @returns Whether the page works without a network from now on.
 */
export async function keepTheRest(): Promise<boolean> {
  if (!import.meta.env.PROD || !navigator.serviceWorker?.controller) return false;
  try {
    const files: string[] = await (await fetch('./files.json')).json();
    const code = files.filter(file => /\.(js|css)$/.test(file) && !onRequest.test(file));
    for (const file of code) if (!(await caches.match(file))) await (await fetch(file)).arrayBuffer();
    const current = new Set(files.map(file => new URL(file, location.href).href));
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      const old = (await cache.keys()).filter(({ url }) => url.includes('/assets/') && !current.has(url));
      await Promise.all(old.map(request => cache.delete(request)));
    }
    return true;
  } catch {
    // Without a network it is too late for this visit; without storage there is nothing to keep.
    return false;
  }
}
