import { openServicePage, type ServicePage, type ServicePageOptions } from './service-page.js';

/** A service that outlives its browser. */
export type SteadyService = {
  fetch(request: Request): Promise<Response>;
  /** Rejects when the browser dies again and again, or cannot be opened any more. */
  readonly broken: Promise<never>;
  close(): Promise<void>;
};

/** A browser that dies this often within {@link windowMs} will not live: something is wrong with the machine. */
const mostDeaths = 3;
const windowMs = 60_000;
/** Milliseconds after a broken request in which the end of its page is known, if that was the cause. */
const graceMs = 1000;
/** Seconds after which a client may ask again whose request the browser took with it. */
const retryAfterSec = 5;

/**
 * Keeps the service's browser open: when it dies, another is opened on the same profile, and jobs go on where they
 * were saved. Requests wait for it. What only reads is asked again of the new one; of anything else nobody can say
 * whether it was done, and the client is told so by 503.
 *
 * @param onReopen - Told each time the browser has to be opened again.
 */
export async function keepService(
  options: ServicePageOptions,
  onReopen: () => void = () => {},
): Promise<SteadyService> {
  let closing = false;
  let deathsMs: number[] = [];
  let breakDown: (error: unknown) => void = () => {};
  const broken = new Promise<never>((_, reject) => (breakDown = reject));
  broken.catch(() => undefined);

  const open = async (): Promise<ServicePage> => {
    const page = await openServicePage(options);
    void page.gone.then(() => {
      if (closing) return;
      deathsMs = [...deathsMs.filter(ms => performance.now() - ms < windowMs), performance.now()];
      if (deathsMs.length >= mostDeaths) return breakDown(new Error('The browser ended again and again.'));
      onReopen();
      // A crashed page leaves its browser behind, which has the profile.
      current = page.library.close().then(open, open);
      current.catch(breakDown);
    });
    return page;
  };
  let current = open();
  await current;

  return {
    broken,
    async fetch(request) {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const page = await current;
      try {
        return await page.fetch(request);
      } catch (error) {
        if (closing) throw error;
        const late = new Promise<'alive'>(resolve => setTimeout(() => resolve('alive'), graceMs));
        if ((await Promise.race([page.gone, late])) === 'alive') throw error;
        return isRead ? (await current).fetch(request) : lost();
      }
    },
    async close() {
      closing = true;
      await current.then(
        page => page.close(),
        () => undefined,
      );
    },
  };
}

const lost = () =>
  Response.json(
    { error: 'The service broke down over the request.', code: 'unavailable' },
    { status: 503, headers: { 'Retry-After': String(retryAfterSec) } },
  );
