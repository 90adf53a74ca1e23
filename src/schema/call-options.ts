import type { OnProgress } from './progress.js';

/** What every long call takes. */
export type CallOptions = {
  /** Stops the work; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Told how far the work is. */
  readonly onProgress?: OnProgress;
};
