import { ReframeError } from '../../schema/error.js';
import { type Ledger, type LedgerEntry, openHolds, priceOf } from './credits.js';
import type { Video } from './state.js';

/** Sets aside what reframe jobs cost. */
export type Holds = {
  /**
   * Holds a job's price as soon as its length is known. Where there is too little now, but jobs at work hold credits
   * that they may give back, it is too early to say no: a job that runs by itself waits, a polled one is told to come
   * again.
   *
   * @returns undefined for a polled job that has to ask again.
   * @throws ReframeError `insufficient_credits` when nobody will give anything back.
   */
  take(
    video: Video,
    signal: AbortSignal,
    onWait: () => Promise<void>,
  ): Promise<readonly LedgerEntry[] | undefined>;
  /**
   * Holds the price of a job that is taken up again; once more changes nothing.
   *
   * @throws ReframeError `insufficient_credits`
   */
  again(video: Video): readonly LedgerEntry[];
  /** Takes note that somebody asked about a job: a polled job that nobody polls gives nothing back. */
  polled(videoId: string): void;
  /** A job ended or rests: whoever waits looks again. */
  wake(): void;
};

export type HoldsOptions = {
  readonly ledger: Ledger;
  readonly advance: 'auto' | 'poll';
  /** Whether a step of a video runs, or is queued to. */
  readonly isAtWork: (videoId: string) => boolean;
};

/** How often in a row a polled job may ask in vain while no job that holds credits is polled. */
const patience = 3;

export function createHolds({ ledger, advance, isAtWork }: HoldsOptions): Holds {
  let polls = 0;
  const polledAt = new Map<string, number>();
  /** For polled jobs that wait: how many polls there had been at each of their attempts. */
  const attempts = new Map<string, readonly number[]>();
  const waiters = new Set<() => void>();

  const mayGiveBack = (holder: string, waiter: string) =>
    isAtWork(holder) ||
    (advance === 'poll' && (polledAt.get(holder) ?? 0) > (attempts.get(waiter)?.at(-patience) ?? -1));

  const hold = ({ id, job, durationSec }: Video) =>
    job?.kind === 'reframe' ? ledger.hold(id, priceOf(durationSec!), `reframe job ${job.id}`) : [];
  const tooLittle = ({ durationSec }: Video) =>
    new ReframeError(
      'insufficient_credits',
      `The video costs ${priceOf(durationSec!)}, ${ledger.available} are left.`,
    );

  return {
    async take(video, signal, onWait) {
      for (;;) {
        // Listens first: no change may be missed while the record that this job waits is being written.
        const change = new Promise<void>(resolve => waiters.add(resolve));
        const lines = hold(video);
        if (lines) {
          attempts.delete(video.id);
          return lines;
        }
        const holders = [...openHolds(ledger.entries).keys()];
        if (!holders.some(holder => mayGiveBack(holder, video.id))) throw tooLittle(video);
        await onWait();
        if (advance === 'poll') {
          attempts.set(video.id, [...(attempts.get(video.id) ?? []), polls].slice(-patience));
          return undefined;
        }
        await unlessAborted(change, signal);
      }
    },
    again(video) {
      const lines = hold(video);
      if (!lines) throw tooLittle(video);
      return lines;
    },
    polled: videoId => void polledAt.set(videoId, ++polls),
    wake() {
      for (const resolve of waiters) resolve();
      waiters.clear();
    },
  };
}

function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const give = () => reject(signal.reason);
    signal.addEventListener('abort', give, { once: true });
    promise.then(resolve).finally(() => signal.removeEventListener('abort', give));
  });
}
