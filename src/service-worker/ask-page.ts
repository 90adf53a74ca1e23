import type { BodyMessage, PageMessage, WorkerMessage } from '../schema/relay.js';

/** As much of a service worker's `Client` as is used. */
export type PageClient = {
  readonly id: string;
  postMessage(message: WorkerMessage, transfer: Transferable[]): void;
};

/** Milliseconds in which a page must say that it runs the service: it may be busy, and there may be none. */
const findTimeoutMs = 1000;

/** Milliseconds between looks at whether a page that owes an answer still exists. */
const watchMs = 1000;

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
 * Has a page answer a request. The body comes piece by piece, each when it is wanted.
 *
 * @param exists - Tells whether the page is still open: one that was closed never answers.
 * @returns undefined when the page does not run the service any more.
 */
export async function askPage(
  page: PageClient,
  request: Request,
  exists: (id: string) => Promise<boolean>,
): Promise<Response | undefined> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = hasBody ? await request.clone().arrayBuffer() : undefined;
  const relayed = {
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    ...(body && { body }),
  };
  const { first, port } = ask(page, { kind: 'edge-reframe:fetch', request: relayed });
  const answer = await unlessGone(first, () => exists(page.id));
  if (answer.kind === 'elsewhere') return undefined;
  if (answer.kind !== 'answer') throw new Error(answer.kind === 'broken' ? answer.message : answer.kind);
  return new Response(answer.hasBody ? bodyOver(port, () => exists(page.id)) : null, {
    status: answer.status,
    headers: answer.headers as [string, string][],
  });
}

function ask(page: PageClient, message: WorkerMessage): { first: Promise<PageMessage>; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const first = new Promise<PageMessage>(resolve => {
    port1.onmessage = ({ data }) => resolve(data);
  });
  page.postMessage(message, [port2]);
  return { first, port: port1 };
}

/** @throws Error when the page is closed before it answers. */
async function unlessGone(first: Promise<PageMessage>, exists: () => Promise<boolean>): Promise<PageMessage> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const gone = new Promise<never>((_, reject) => {
    timer = setInterval(async () => {
      if (!(await exists())) reject(new Error('The page was closed.'));
    }, watchMs);
  });
  return Promise.race([first, gone]).finally(() => clearInterval(timer));
}

function bodyOver(port: MessagePort, exists: () => Promise<boolean>): ReadableStream<Uint8Array> {
  const send = (message: BodyMessage) => port.postMessage(message);
  const next = () =>
    new Promise<PageMessage>(resolve => {
      port.onmessage = ({ data }) => resolve(data);
      send({ kind: 'pull' });
    });
  return new ReadableStream(
    {
      async pull(out) {
        const message = await unlessGone(next(), exists);
        if (message.kind === 'piece') return out.enqueue(message.bytes);
        port.close();
        if (message.kind === 'end') out.close();
        else throw new Error(message.kind === 'broken' ? message.message : message.kind);
      },
      cancel() {
        send({ kind: 'cancel' });
      },
    },
    { highWaterMark: 0 },
  );
}
