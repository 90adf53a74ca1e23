import { clamp } from '../core/series.js';
import type { TimeRange } from '../schema/time.js';
import type { Caption } from './captions.js';

/** The captions of a clip that shows a stretch of the source, on the clip's own clock; the stretch's ends cut them off. */
export function captionsWithin(captions: readonly Caption[], { startSec, endSec }: TimeRange): Caption[] {
  const at = (timeSec: number) => clamp(timeSec, startSec, endSec) - startSec;
  return captions
    .filter(caption => caption.endSec > startSec && caption.startSec < endSec)
    .map(caption => ({
      ...caption,
      startSec: at(caption.startSec),
      endSec: at(caption.endSec),
      lines: caption.lines.map(line => ({
        ...line,
        words: line.words.map(word => ({ ...word, startSec: at(word.startSec), endSec: at(word.endSec) })),
      })),
    }));
}
