import type { TimeRange } from '../schema/time.js';
import type { Transcription } from '../schema/transcription.js';
import { keptRanges } from './kept-ranges.js';

export type SilenceOptions = {
  /** Length of the source, seconds. */
  readonly totalSec: number;
  /** Only pauses longer than this are shortened, seconds, at least 0.1. Default 0.6. */
  readonly longerThanSec?: number;
  /** What stays of such a pause on either side, seconds, at most half of `longerThanSec`. Default 0.15. */
  readonly keepSec?: number;
};

/**
 * What is left of a source without the pauses between words, and before the first and after the last. Music and laughter
 * without words count as a pause. A source without words is kept whole.
 *
 * @returns Ranges to keep, in order.
 * @throws RangeError for an option out of its range.
 */
export function removeSilences(
  { words }: Pick<Transcription, 'words'>,
  options: SilenceOptions,
): TimeRange[] {
  const { totalSec, longerThanSec = 0.6, keepSec = 0.15 } = options;
  if (!(totalSec > 0)) throw new RangeError(`totalSec is ${totalSec}; it has to be above 0.`);
  if (!(longerThanSec >= 0.1))
    throw new RangeError(`longerThanSec is ${longerThanSec}; it has to be 0.1 or more.`);
  if (!(keepSec >= 0 && keepSec <= longerThanSec / 2))
    throw new RangeError(`keepSec is ${keepSec}; it has to be 0–${longerThanSec / 2}.`);
  if (!words.length) return [{ startSec: 0, endSec: totalSec }];
  const silences: TimeRange[] = [];
  let heardUntilSec = 0;
  for (const { start, end } of [...words, { start: totalSec, end: totalSec }]) {
    if (start - heardUntilSec > longerThanSec) {
      silences.push({
        startSec: heardUntilSec && heardUntilSec + keepSec,
        endSec: start === totalSec ? totalSec : start - keepSec,
      });
    }
    heardUntilSec = Math.max(heardUntilSec, end);
  }
  return keptRanges(silences, totalSec);
}
