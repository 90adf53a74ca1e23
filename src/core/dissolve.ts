import type { CutFrame } from './cut-score.js';
import { detailOf, meanDifference, mixOf, structureCorrelation } from './thumbnail.js';

/** When a slow change between two pictures is a dissolve. Levels are of 0–255 on 48×27 averages. */
export type DissolveOptions = {
  /** Lengths of the stretches looked at, in seconds: a dissolve of up to about one and a half times fits. */
  readonly windowsSec: readonly number[];
  /** Least spread of brightness of either end, in levels: fades from and to black are not dissolves. */
  readonly minSpread: number;
  /** Least mean difference of brightness between both ends, in levels. */
  readonly minChange: number;
  /** Greatest likeness of structure between both ends. */
  readonly maxLikeness: number;
  /** Greatest share of the whole change in one step: more is a hard cut. */
  readonly maxStepRatio: number;
  /** Greatest squared rest that a mix of both ends leaves of the frames between, as a share of the whole change. */
  readonly maxRestRatio: number;
  /**
   * Greatest squared rest of detail alone: a tilt over a plain sky is a perfect mix but for the birds in it,
   * which leave 0.6.
   */
  readonly maxDetailRestRatio: number;
};

/** Chosen so that none of the development clips gets a false one. */
export const defaultDissolveOptions: DissolveOptions = {
  windowsSec: [0.4, 0.8, 1.6],
  minSpread: 12,
  minChange: 12,
  maxLikeness: 0.4,
  maxStepRatio: 0.4,
  maxRestRatio: 0.06,
  maxDetailRestRatio: 0.2,
};

/**
 * Looks for a dissolve in the stretches that end with the last frame: every frame between is a mix of
 * both ends, and the share of the old picture falls through one half.
 *
 * @param frames - In time order.
 * @returns The first frame that shows more of the new picture than of the old, or undefined.
 */
export function findDissolve(frames: readonly CutFrame[], options: DissolveOptions): CutFrame | undefined {
  const last = frames.at(-1);
  if (!last) return undefined;
  for (const windowSec of options.windowsSec) {
    const first = frames.findLastIndex(frame => frame.timeSec <= last.timeSec - windowSec + 1e-6);
    const stretch = frames.slice(first);
    if (first < 0 || stretch.length < minFrames) continue;
    const found = dissolveIn(stretch, options);
    if (found) return found;
  }
  return undefined;
}

/** Fewer frames cannot tell a dissolve from a cut with blended frames. */
const minFrames = 6;

function dissolveIn(stretch: readonly CutFrame[], options: DissolveOptions): CutFrame | undefined {
  const [old, fresh] = [stretch[0]!, stretch.at(-1)!];
  if (Math.min(old.spread, fresh.spread) < options.minSpread) return undefined;
  const whole = meanDifference(old.luma, fresh.luma);
  if (whole < options.minChange) return undefined;
  if (stretch.slice(1).some(frame => frame.change > options.maxStepRatio * whole)) return undefined;
  let shareBefore = 1;
  for (const quarter of [0.25, 0.5, 0.75]) {
    const frame = stretch[Math.round(quarter * (stretch.length - 1))]!;
    const { share, rest } = mixOf(frame.luma, old.luma, fresh.luma);
    if (rest > options.maxRestRatio || share >= shareBefore) return undefined;
    // The change must lie about the middle; the window comes by there as frames go on.
    if (quarter === 0.5 && (share < 0.35 || share > 0.65)) return undefined;
    shareBefore = share;
  }
  if (structureCorrelation(old.luma, fresh.luma) > options.maxLikeness) return undefined;
  const middle = stretch[Math.round((stretch.length - 1) / 2)]!;
  const detail = mixOf(detailOf(middle.luma), detailOf(old.luma), detailOf(fresh.luma));
  if (detail.rest > options.maxDetailRestRatio) return undefined;
  return stretch.find(frame => mixOf(frame.luma, old.luma, fresh.luma).share < 0.5);
}
