import type { TimeRange } from '../schema/time.js';

/** The frames that a clip is made of, by their ranks in the source, and when they are shown. */
export type ShownFrames = {
  readonly first: number;
  readonly count: number;
  /** Start of the clip's span: its first frame's time, or earlier where sound goes before the picture. */
  readonly startSec: number;
  /** When a frame begins; of the rank behind the last one, when that one ends. */
  timeSec(frame: number): number;
};

/** A stretch of a source that a clip shows, with the ranks of the frames that are seen meanwhile, both included. */
export type KeptStretch = TimeRange & { readonly firstFrame: number; readonly lastFrame: number };

/**
 * Ends go to the border of frames that is this near, seconds: half a frame at 10 Hz. A picture that stands for longer, as
 * in recordings of slides, is cut where the sound is.
 */
const snapSec = 0.05;

/**
 * What of the asked ranges a clip shows: ends lie between frames, so that picture and sound are cut at once, ranges that then
 * touch are one, and what lies outside of the frames is left out. Without ranges all is kept.
 *
 * @param keep - In order, without overlaps.
 */
export function keptStretches(keep: readonly TimeRange[] | undefined, frames: ShownFrames): KeptStretch[] {
  const { first, count, startSec: originSec } = frames;
  const closeSec = frames.timeSec(first + count);
  const frameAt = (timeSec: number): number => {
    let [low, high] = [first, first + count - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (frames.timeSec(middle) <= timeSec) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  const snap = (timeSec: number): number => {
    if (timeSec <= frames.timeSec(first)) return originSec;
    if (timeSec >= closeSec) return closeSec;
    const frame = frameAt(timeSec);
    const [before, after] = [frames.timeSec(frame), frames.timeSec(frame + 1)];
    const nearest = timeSec - before <= after - timeSec ? before : after;
    return Math.abs(timeSec - nearest) <= snapSec ? nearest : timeSec;
  };
  const ranges: { startSec: number; endSec: number }[] = [];
  for (const asked of keep ?? [{ startSec: originSec, endSec: closeSec }]) {
    const [startSec, endSec] = [snap(asked.startSec), snap(asked.endSec)];
    const before = ranges.at(-1);
    if (endSec <= startSec || endSec <= frames.timeSec(first)) continue;
    if (before && startSec <= before.endSec) before.endSec = endSec;
    else ranges.push({ startSec, endSec });
  }
  return ranges.map(({ startSec, endSec }) => {
    const last = frameAt(endSec);
    const lastFrame = endSec < closeSec && frames.timeSec(last) >= endSec ? last - 1 : last;
    return { startSec, endSec, firstFrame: frameAt(startSec), lastFrame };
  });
}
