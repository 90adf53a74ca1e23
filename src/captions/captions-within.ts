import { createClipClock } from '../core/clip-clock.js';
import type { TimeRange } from '../schema/time.js';
import type { Caption } from './captions.js';

/**
 * The captions of a clip that shows a stretch of the source, or several one after another, on the clip's own clock. The
 * stretches' ends cut captions off; a caption that goes on behind what is left out stays one.
 *
 * @param shown - Several in order, without overlaps.
 */
export function captionsWithin(
  captions: readonly Caption[],
  shown: TimeRange | readonly TimeRange[],
): Caption[] {
  const ranges = Array.isArray(shown) ? (shown as readonly TimeRange[]) : [shown as TimeRange];
  if (!ranges.length) return [];
  const { toClip } = createClipClock(ranges);
  return captions
    .filter(({ startSec, endSec }) => toClip(endSec) > toClip(startSec))
    .map(caption => ({
      ...caption,
      startSec: toClip(caption.startSec),
      endSec: toClip(caption.endSec),
      lines: caption.lines.map(line => ({
        ...line,
        words: line.words.map(word => ({
          ...word,
          startSec: toClip(word.startSec),
          endSec: toClip(word.endSec),
        })),
      })),
    }));
}
