import { nextOf, readAnswer, toRelayed } from '../rpc/relay.js';
import type { PageMessage, WorkerMessage } from '../schema/relay.js';

/** As much of a service worker's `Client` as is used. */
export type PageClient = {
  readonly id: string;
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
};

/** Milliseconds in which a page must say that it runs the service: it may be busy, and there may be none. */
const findTimeoutMs = 1000;

/** The first of the pages that says it runs the service. */
export async function findPage(pages: readonly PageClient[]): Promise<PageClient | undefined> {
  const here = pages.map(async page => {
    const { first } = ask(page, { kind: 'edge-reframe:find' });
    if ((await first).kind !== 'here') throw new Error('elsewhere');
    return page;
  });
  const late = new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), findTimeoutMs));
  return Promise.race([Promise.any(here).catch(() => undefined), late]);
}

/**
 * Has a page answer a request.
 *
 * @param exists - Tells whether the page is still open: one that was closed never answers.
 * @returns undefined when the page does not run the service any more.
 */
export async function askPage(
  page: PageClient,
  request: Request,
  exists: (id: string) => Promise<boolean>,
): Promise<Response | undefined> {
  const { first, port } = ask(page, { kind: 'edge-reframe:fetch', request: await toRelayed(request) });
  return readAnswer(port, first, () => exists(page.id));
}

function ask(page: PageClient, message: WorkerMessage): { first: Promise<PageMessage>; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const first = nextOf(port1);
  page.postMessage(message, [port2]);
  return { first, port: port1 };
}
