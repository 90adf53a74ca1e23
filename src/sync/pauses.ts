/** How the sync layer waits. */
export type PauseOptions = {
  /** Seconds before a second attempt; each further one waits twice as long. Default 2. */
  readonly firstSec?: number;
  /** Longest pause between attempts in seconds. Default 300. */
  readonly longestSec?: number;
  /** Seconds after which a request without an answer is given up. Default 30. */
  readonly limitSec?: number;
  /** Seconds between polls of an open job, shortest and longest. Default 3 to 10: a remote job advances when polled. */
  readonly pollSec?: readonly [shortest: number, longest: number];
};

/** How long to wait for what. */
export type Pauses = ReturnType<typeof createPauses>;

export function createPauses(
  { firstSec = 2, longestSec = 300, limitSec = 30, pollSec = [3, 10] }: PauseOptions = {},
  signal: AbortSignal,
) {
  return {
    polling: { firstPauseSec: pollSec[0], longestPauseSec: pollSec[1], limitSec },
    limit: (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(limitSec * 1000)]),
    /** Waits after the nth attempt failed; at random within half of the time, so that clients do not come all at once. */
    backOff: (misses: number): Promise<void> => {
      const sec = Math.min(longestSec, firstSec * 2 ** misses) * (0.5 + Math.random() / 2);
      return new Promise(resolve => {
        const done = () => {
          clearTimeout(timer);
          globalThis.removeEventListener?.('online', done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, sec * 1000);
        signal.addEventListener('abort', done, { once: true });
        globalThis.addEventListener?.('online', done, { once: true });
      });
    },
  };
}
