import { ReframeError } from '../../schema/error.js';
import type { Till } from '../http/download.js';
import { type Ledger, priceOf } from './credits.js';
import type { Records } from './records.js';
import type { Video } from './state.js';

/** Takes credits for downloads of videos whose steps were asked for one by one: once per video. */
export function createTills(ledger: Ledger, records: Records): (video: Video) => Till | undefined {
  /** Downloads per video that have not sent a byte yet; they share one hold. */
  const waiting = new Map<string, number>();
  return video => {
    if (ledger.isCharged(video.id)) return undefined;
    const leave = () => {
      const left = waiting.get(video.id)! - 1;
      if (left > 0) waiting.set(video.id, left);
      else waiting.delete(video.id);
      return left;
    };
    return {
      async open() {
        const price = priceOf(video.durationSec!);
        const lines = ledger.hold(video.id, price, 'download');
        if (!lines)
          throw new ReframeError(
            'insufficient_credits',
            `The video costs ${price}, ${ledger.available} are left.`,
          );
        waiting.set(video.id, (waiting.get(video.id) ?? 0) + 1);
        await records.write(lines).catch(error => {
          leave();
          throw error;
        });
      },
      async pay() {
        leave();
        await records.write(ledger.charge(video.id, 'download'));
      },
      async cancel() {
        if (leave() === 0) await records.write(ledger.release(video.id, 'nothing was sent'));
      },
    };
  };
}
