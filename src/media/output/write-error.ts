import { ReframeError } from '../../schema/error.js';

/** Storage that is full has its own code; other write errors stay what they are. */
export function toWriteError(error: unknown): unknown {
  return error instanceof DOMException && error.name === 'QuotaExceededError'
    ? new ReframeError('quota_exceeded', 'Free some space, or lower the bitrate.', { cause: error })
    : error;
}
