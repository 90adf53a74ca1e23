import type { TimeRange } from '../schema/time.js';
import { clamp, countBelow } from './series.js';

/** Stretches of a source that a clip shows one after another, and where in the clip each begins. */
export type ClipClock = {
  readonly stretches: readonly (TimeRange & { readonly atSec: number })[];
  /** Length of the clip, seconds. */
  readonly durationSec: number;
  /** The clip's time of a time of the source; of what is left out, where the next stretch begins. */
  toClip(sourceSec: number): number;
  /** The source's time of a time of the clip. Where two stretches join, `end` means the end of the earlier one. */
  toSource(clipSec: number, edge: 'start' | 'end'): number;
};

/** @param ranges - In order, without overlaps, at least one. */
export function createClipClock(ranges: readonly TimeRange[]): ClipClock {
  let durationSec = 0;
  const stretches = ranges.map(({ startSec, endSec }) => {
    const atSec = durationSec;
    durationSec += endSec - startSec;
    return { startSec, endSec, atSec };
  });
  return {
    stretches,
    durationSec,
    toClip(sourceSec) {
      const stretch = stretches[countBelow(stretches, sourceSec, ({ endSec }) => endSec)];
      return stretch ? stretch.atSec + Math.max(0, sourceSec - stretch.startSec) : durationSec;
    },
    toSource(clipSec, edge) {
      const sec = clamp(clipSec, 0, durationSec);
      const begun = countBelow(
        stretches,
        sec + (edge === 'start' ? joinSec : -joinSec),
        ({ atSec }) => atSec,
      );
      const { startSec, endSec, atSec } = stretches[Math.max(0, begun - 1)]!;
      return Math.min(endSec, startSec + Math.max(0, sec - atSec));
    },
  };
}

/** Sums of lengths are rounded: a time this close to a join, seconds, is the join's. */
const joinSec = 1e-6;

/** What two lists of stretches have in common; both in order, without overlaps. */
export function commonRanges(a: readonly TimeRange[], b: readonly TimeRange[]): TimeRange[] {
  const common: TimeRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const startSec = Math.max(a[i]!.startSec, b[j]!.startSec);
    const endSec = Math.min(a[i]!.endSec, b[j]!.endSec);
    if (startSec < endSec) common.push({ startSec, endSec });
    if (a[i]!.endSec < b[j]!.endSec) i++;
    else j++;
  }
  return common;
}
