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
