import { fromWireError, toWireError } from '../../rpc/protocol.js';
import { giveAnswer, type Line, nextOf, readAnswer, toRelayed, unlessGone } from '../../rpc/relay.js';
import { ReframeError } from '../../schema/error.js';
import type { PageMessage, TabMessage } from '../../schema/relay.js';

/** What the tab that runs the service does for other tabs. */
export type Offers = {
  /** Whether this tab runs the service. */
  readonly runsHere: () => boolean;
  readonly fetch: (request: Request) => Promise<Response>;
  /** Anything else that a service can be asked, by its name. */
  readonly call: (method: string, argument: unknown) => Promise<unknown>;
};

/** The other tabs of this origin, over one store. */
export type Tabs = {
  /**
   * Has the tab that runs the service answer.
   *
   * @returns undefined when there is no tab that could have begun with the request.
   * @throws Error when that tab was closed over the request: what was asked may have been done, or not.
   */
  fetch(request: Request): Promise<Response | undefined>;
  /** @throws ReframeError `unavailable` where no tab answers, else what the service refuses with. */
  call(method: string, argument: unknown): Promise<unknown>;
  close(): void;
};

/** Milliseconds in which the tab that runs the service must say so: it may be busy, and it may just have been closed. */
const findTimeoutMs = 1000;

/**
 * Joins the tabs that share a store. All listen, only the tab that runs the service answers; each exchange
 * has a channel of its own, so that other tabs are not sent copies of what is not for them.
 *
 * @param lockName - Name of the lock that the tab that runs the service holds.
 * @returns undefined where there are no other tabs: the store is this page's alone, or the browser has no
 *   locks.
 */
export function joinTabs(lockName: string | undefined, offers: Offers): Tabs | undefined {
  if (lockName === undefined || !globalThis.navigator?.locks) return undefined;
  const everybody = new BroadcastChannel(lockName);
  const openLine = (id: string): Line & BroadcastChannel => new BroadcastChannel(`${lockName}/${id}`);

  everybody.onmessage = ({ data }: MessageEvent<{ readonly line: string }>) => {
    if (!offers.runsHere()) return;
    const line = openLine(data.line);
    const post = (message: PageMessage) => line.postMessage(message);
    line.onmessage = async ({ data: asked }: MessageEvent<TabMessage>) => {
      try {
        if (!offers.runsHere()) return post({ kind: 'elsewhere' });
        if (asked.kind === 'fetch') return await giveAnswer(line, asked.request, offers.fetch);
        post({ kind: 'value', value: await offers.call(asked.method, asked.argument) });
      } catch (error) {
        if (asked.kind === 'fetch') post({ kind: 'broken', message: String(error) });
        else post({ kind: 'refused', error: toWireError(error) });
      }
    };
    post({ kind: 'here' });
  };

  /** Who holds the lock, as the browser names it. */
  const holder = async () =>
    (await navigator.locks.query()).held?.find(({ name }) => name === lockName)?.clientId;

  /** Finds the tab that runs the service and asks it once. */
  const ask = async (message: TabMessage) => {
    const id = crypto.randomUUID();
    const line = openLine(id);
    const here = nextOf(line);
    everybody.postMessage({ line: id });
    const late = new Promise<undefined>(resolve => setTimeout(() => resolve(undefined), findTimeoutMs));
    if ((await Promise.race([here, late]))?.kind !== 'here') {
      line.close();
      return undefined;
    }
    const answerer = await holder();
    const first = nextOf(line);
    line.postMessage(message);
    return { line, first, exists: async () => (await holder()) === answerer };
  };

  return {
    async fetch(request) {
      const asked = await ask({ kind: 'fetch', request: await toRelayed(request) });
      return asked && readAnswer(asked.line, asked.first, asked.exists);
    },
    async call(method, argument) {
      const asked = await ask({ kind: 'call', method, argument });
      const answer = await (asked && unlessGone(asked.first, asked.exists).catch(() => undefined));
      asked?.line.close();
      if (answer?.kind === 'value') return answer.value;
      if (answer?.kind === 'refused') throw fromWireError(answer.error);
      throw new ReframeError('unavailable', 'The tab that runs the service does not answer.');
    },
    close: () => everybody.close(),
  };
}
