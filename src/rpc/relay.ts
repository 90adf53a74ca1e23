import type { BodyMessage, PageMessage, RelayedRequest } from '../schema/relay.js';

/** A way between two realms that nobody else hears: a `MessagePort`, or a `BroadcastChannel` of a secret name. */
export type Line = {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent) => unknown) | null;
  close(): void;
};

/** Milliseconds between looks at whether a page that owes an answer still exists. */
const watchMs = 1000;

/** A request as plain data. */
export async function toRelayed(request: Request): Promise<RelayedRequest> {
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const body = hasBody ? await request.clone().arrayBuffer() : undefined;
  return {
    method: request.method,
    url: request.url,
    headers: [...request.headers],
    ...(body && { body }),
  };
}

/** The next message of a line. */
export const nextOf = (line: Line): Promise<PageMessage> =>
  new Promise(resolve => {
    line.onmessage = ({ data }) => resolve(data);
  });

/**
 * Makes a response of what a page sends. The body comes piece by piece, each when it is wanted.
 *
 * @param first - The page's first message.
 * @param exists - Tells whether the page is still open: one that was closed never answers.
 * @returns undefined when the page does not run the service any more.
 * @throws Error when the page is closed before it answers, or its service breaks down.
 */
export async function readAnswer(
  line: Line,
  first: Promise<PageMessage>,
  exists: () => Promise<boolean>,
): Promise<Response | undefined> {
  const answer = await unlessGone(first, exists);
  if (answer.kind === 'elsewhere') return undefined;
  if (answer.kind !== 'answer') throw new Error(answer.kind === 'broken' ? answer.message : answer.kind);
  if (!answer.hasBody) line.close();
  return new Response(answer.hasBody ? bodyOver(line, exists) : null, {
    status: answer.status,
    headers: answer.headers as [string, string][],
  });
}

/** @throws Error when the page is closed before it answers. */
export async function unlessGone(
  message: Promise<PageMessage>,
  exists: () => Promise<boolean>,
): Promise<PageMessage> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const gone = new Promise<never>((_, reject) => {
    timer = setInterval(async () => {
      if (!(await exists())) reject(new Error('The page was closed.'));
    }, watchMs);
  });
  return Promise.race([message, gone]).finally(() => clearInterval(timer));
}

function bodyOver(line: Line, exists: () => Promise<boolean>): ReadableStream<Uint8Array> {
  const send = (message: BodyMessage) => line.postMessage(message);
  const pull = () => {
    const next = nextOf(line);
    send({ kind: 'pull' });
    return next;
  };
  return new ReadableStream(
    {
      async pull(out) {
        const message = await unlessGone(pull(), exists);
        if (message.kind === 'piece') return out.enqueue(message.bytes);
        line.close();
        if (message.kind === 'end') out.close();
        else throw new Error(message.kind === 'broken' ? message.message : message.kind);
      },
      cancel() {
        send({ kind: 'cancel' });
        line.close();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Answers a request over a line, and closes the line at the end. */
export async function giveAnswer(
  line: Line,
  { url, headers, ...init }: RelayedRequest,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const post = (message: PageMessage, transfer: Transferable[] = []) => line.postMessage(message, transfer);
  const response = await answer(new Request(url, { ...init, headers: headers as [string, string][] }));
  const reader = response.body?.getReader();
  line.onmessage = async ({ data }: MessageEvent<BodyMessage>) => {
    try {
      if (data.kind === 'cancel') {
        line.close();
        return await reader?.cancel();
      }
      const { done, value } = await reader!.read();
      if (done) {
        post({ kind: 'end' });
        return line.close();
      }
      // A copy of its own: pieces may be views of a larger buffer, which must not be given away.
      const bytes = value.slice();
      post({ kind: 'piece', bytes }, [bytes.buffer]);
    } catch (error) {
      post({ kind: 'broken', message: String(error) });
    }
  };
  const hasBody = reader !== undefined;
  post({ kind: 'answer', status: response.status, headers: [...response.headers], hasBody });
  if (!hasBody) line.close();
}
