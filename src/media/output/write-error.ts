import { isQuotaExceeded, ReframeError } from '../../schema/error.js';

/** Storage that is full has its own code; other write errors stay what they are. */
export function toWriteError(error: unknown): unknown {
  return isQuotaExceeded(error)
    ? new ReframeError('quota_exceeded', 'Free some space, or lower the bitrate.', { cause: error })
    : error;
}
