import { createClipClock } from '../core/clip-clock.js';
import { countBelow } from '../core/series.js';
import type { AnalysisParts } from '../schema/result.js';
import type { TimeRange } from '../schema/time.js';
import type { CaptionOptions } from './caption-options.js';
import { type Caption, captions } from './captions.js';

/** As {@link CaptionOptions}, for a clip that shows parts of its source. */
export type CaptionPartsOptions = CaptionOptions & {
  /**
   * What a clip keeps of the source, in order, without overlaps; default all of it. Words that are left out are in no caption,
   * and captions are as long as the clip gives them. Their times are the source's nevertheless.
   */
  readonly keep?: readonly TimeRange[];
};

/** Captions of what an analysis wrote down, broken at the cuts that it found; none where it wrote nothing down. */
export function captionParts(
  { transcription, scene_detection }: Pick<AnalysisParts, 'transcription' | 'scene_detection'>,
  { keep, ...options }: CaptionPartsOptions = {},
): Caption[] {
  if (!transcription) return [];
  const cutsSec = options.cutsSec ?? scene_detection?.scenes.slice(1).map(scene => scene.start_time) ?? [];
  if (!keep) return captions(transcription, { ...options, cutsSec });
  if (!keep.length) return [];
  const { toClip, toSource } = createClipClock(keep);
  const isKept = (timeSec: number) => {
    const next = countBelow(keep, timeSec, ({ endSec }) => endSec);
    // Where two ranges touch, the first one ends at the very time that the second one begins.
    return keep.slice(next, next + 2).some(({ startSec, endSec }) => timeSec >= startSec && timeSec < endSec);
  };
  const words = transcription.words
    .filter(({ start, end }) => isKept((start + end) / 2))
    .map(word => ({ ...word, start: toClip(word.start), end: toClip(word.end) }));
  const made = captions(
    { ...transcription, words },
    { ...options, cutsSec: cutsSec.filter(isKept).map(toClip) },
  );
  const toSourceTimes = <Timed extends TimeRange>(timed: Timed): Timed => ({
    ...timed,
    startSec: toSource(timed.startSec, 'start'),
    endSec: toSource(timed.endSec, 'end'),
  });
  return made.map(caption => ({
    ...toSourceTimes(caption),
    lines: caption.lines.map(line => ({ ...line, words: line.words.map(toSourceTimes) })),
  }));
}
