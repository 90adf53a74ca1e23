import { isReframeError, ReframeError } from '../schema/error.js';

/** How often to ask. */
export type WatchOptions = {
  /** Ends the watching; the generator throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** Seconds to the second question; each further pause is half as long again. Default 1. */
  readonly firstPauseSec?: number;
  /** Longest pause in seconds. Default 5: a remote job advances only when it is polled. */
  readonly longestPauseSec?: number;
  /** Questions in a row that may fail for want of an answer. Default 5. */
  readonly patience?: number;
  /** Seconds after which an answer is no longer waited for. Default 60. */
  readonly limitSec?: number;
};

const growth = 1.5;

/**
 * Asks until the answer is `completed` or `failed`, ever more slowly, and gives out each answer that is new. A
 * service that is away for a moment is asked again.
 */
export async function* polls<Answer extends { readonly status?: string }>(
  ask: (call: { signal?: AbortSignal }) => Promise<Answer>,
  options: WatchOptions = {},
): AsyncGenerator<Answer, void, void> {
  const { signal, firstPauseSec = 1, longestPauseSec = 5, patience = 5, limitSec = 60 } = options;
  let pauseSec = firstPauseSec;
  let last = '';
  let misses = 0;
  for (;;) {
    signal?.throwIfAborted();
    const late = AbortSignal.timeout(limitSec * 1000);
    try {
      const answer = await ask({ signal: signal ? AbortSignal.any([signal, late]) : late });
      misses = 0;
      const text = JSON.stringify(answer);
      if (text !== last) {
        last = text;
        yield answer;
      }
      if (answer.status === 'completed' || answer.status === 'failed') return;
    } catch (error) {
      signal?.throwIfAborted();
      const isMiss = late.aborted || (isReframeError(error) && error.code === 'unavailable');
      if (!isMiss) throw error;
      if (++misses > patience)
        throw new ReframeError('unavailable', 'The service does not answer in time.', { cause: error });
    }
    await pause(pauseSec, signal);
    pauseSec = Math.min(longestPauseSec, pauseSec * growth);
  }
}

/** @throws The signal's reason. */
function pause(sec: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, sec * 1000);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
