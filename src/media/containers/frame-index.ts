import type { TimeRange } from '../../schema/time.js';

/** When every frame of a source is shown: its clock, known before anything is decoded. */
export type FrameIndex = {
  /** Presentation times in µs on the source's own clock, ascending; equal times keep their order. */
  readonly timesUs: Float64Array;
  /** End of the last frame in µs on the same clock. */
  readonly endUs: number;
  /** What counts as 0 s, in µs on the same clock. */
  readonly originUs: number;
};

/**
 * Builds the index from timestamps in any order.
 *
 * @param lastDurationUs - Duration of the last frame; where it is unknown (0) the median distance stands in.
 * @param originOf - What counts as 0 s, for the time of the first frame; default the 0 of that clock.
 */
export function createFrameIndex(
  timestampsUs: readonly number[],
  lastDurationUs: number,
  originOf: (firstFrameUs: number) => number = () => 0,
): FrameIndex {
  // A Float64Array sorts by value; equal times need no further order, since a rank is all that tells them apart.
  const timesUs = Float64Array.from(timestampsUs).sort();
  const last = timesUs.at(-1) ?? 0;
  return {
    timesUs,
    endUs: last + (lastDurationUs > 0 ? lastDurationUs : medianStep(timesUs)),
    originUs: originOf(timesUs[0] ?? 0),
  };
}

/** Rank of the first frame at or after a time on the source's own clock; the number of frames if there is none. */
export function rankAt(index: FrameIndex, timestampUs: number): number {
  let low = 0;
  let high = index.timesUs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (index.timesUs[middle]! < timestampUs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ranks of the frames whose time lies in `range` (seconds from the origin): first, and one past the last. */
export function ranksIn(index: FrameIndex, range: Partial<TimeRange>): readonly [first: number, end: number] {
  // Seconds that were computed from a frame's own time must find that frame again: half a microsecond of grace.
  const at = (sec: number) => rankAt(index, index.originUs + Math.round(sec * 1e6) - 0.5);
  return [at(range.startSec ?? 0), range.endSec === undefined ? index.timesUs.length : at(range.endSec)];
}

/**
 * Time of a frame in seconds from the origin, at a resolution of one microsecond; for ranks behind the last
 * frame, where the last frame ends.
 */
export const frameTimeSec = (index: FrameIndex, rank: number): number =>
  Math.round((index.timesUs[rank] ?? index.endUs) - index.originUs) / 1e6;

/** How long a frame is shown: until the next one, in seconds. */
export function frameDurationSec(index: FrameIndex, rank: number): number {
  const end = index.timesUs[rank + 1] ?? index.endUs;
  return Math.round(end - index.timesUs[rank]!) / 1e6;
}

/** Frames per second, averaged over the whole source. */
export function averageRateHz(index: FrameIndex): number {
  const spanUs = index.endUs - (index.timesUs[0] ?? 0);
  return spanUs > 0 ? (index.timesUs.length * 1e6) / spanUs : 0;
}

function medianStep(timesUs: Float64Array): number {
  const steps = timesUs
    .subarray(1)
    .map((t, i) => t - timesUs[i]!)
    .sort();
  // One frame alone has no distance: a 30th of a second is as good as anything.
  return steps[steps.length >> 1] ?? 1e6 / 30;
}
