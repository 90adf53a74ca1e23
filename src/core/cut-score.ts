import { clamp, lerp, mean } from './series.js';
import { meanDifference, mixOf, structureCorrelation } from './thumbnail.js';

/** One frame as cut detection remembers it. Plain numbers, so that a state can be saved. */
export type CutFrame = {
  readonly frameNumber: number;
  readonly timeSec: number;
  /** Brightness of the thumbnail, 0–255. */
  readonly luma: Float32Array;
  /** Mean absolute difference of the colours from the frame before, in levels of 0–255. */
  readonly change: number;
  /** Likeness of structure to the frame before, −1 to 1. */
  readonly likeness: number;
  /** Spread of the brightness, in levels. */
  readonly spread: number;
};

/** What makes a change of picture a cut. Levels are of 0–255 on 48×27 averages. */
export type CutScoreOptions = {
  /** Least mean colour difference, in levels: below it, dark or static pictures only flicker. */
  readonly minChange: number;
  /** Least ratio of the change to those of the four frames around: below it, the picture just moves. */
  readonly minSurge: number;
  /** Least ratio where no structure is left (likeness 0): cuts between fast pictures. Linear in between. */
  readonly minClearSurge: number;
  /** Greatest likeness of structure: above it, light or colour changed and the picture did not. */
  readonly maxLikeness: number;
  /** A change smaller than this, in levels, is a repeated frame and says nothing about motion. */
  readonly repeatChange: number;
  /** Greatest squared rest that a mix of both neighbours leaves of a blended frame, as a share of the whole step. */
  readonly maxBlendRest: number;
};

/** Chosen on the development clips: all 77 hard cuts are found on their frame. */
export const defaultCutScoreOptions: CutScoreOptions = {
  minChange: 3,
  minSurge: 2.5,
  minClearSurge: 2,
  maxLikeness: 0.66,
  repeatChange: 0.25,
  maxBlendRest: 0.04,
};

/** Frames that a score needs to see after its own. */
export const cutLookAhead = 2;

/**
 * How much frame `index` looks like the first of a new shot: 1 and more is a candidate. The score is the
 * weakest of three claims (the picture changed, more than around, and its structure with it), each in units
 * of its threshold. A frame blended of both shots counts as the end of the old shot.
 *
 * @param frames - Neighbours in time order: up to three before `index` and {@link cutLookAhead} after are used.
 */
export function cutScore(frames: readonly CutFrame[], index: number, options: CutScoreOptions): number {
  if (!frames[index] || !frames[index - 1]) return 0;
  const blend = blendScore(frames, index, options);
  if (blend > 0) return blend;
  if (blendScore(frames, index + 1, options) >= 1) return 0;
  const { change, likeness } = frames[index];
  const around = [index - 2, index - 1, index + 1, index + 2];
  return scoreOf({ change, likeness, around: changesAt(frames, around, options) }, options);
}

/** Score of a cut at `index` with one blended frame just before it; 0 where there is none. */
function blendScore(frames: readonly CutFrame[], index: number, options: CutScoreOptions): number {
  const [old, blended, fresh] = [frames[index - 2], frames[index - 1], frames[index]];
  if (!old || !blended || !fresh) return 0;
  // Shares near 0 or 1 are ordinary cuts next to a moving frame.
  const { share, rest } = mixOf(blended.luma, old.luma, fresh.luma);
  if (share < minBlendShare || share > 1 - minBlendShare || rest > options.maxBlendRest) return 0;
  const change = meanDifference(old.luma, fresh.luma);
  const around = changesAt(frames, [index - 3, index - 2, index + 1], options);
  const likeness = structureCorrelation(old.luma, fresh.luma);
  const score = scoreOf({ change, likeness, around }, options);
  return score >= 1 ? score : 0;
}

/** Least share of either side in a blended frame. */
const minBlendShare = 0.2;

type Evidence = { readonly change: number; readonly likeness: number; readonly around: readonly number[] };

function scoreOf({ change, likeness, around }: Evidence, options: CutScoreOptions): number {
  if (change <= 0) return 0;
  const { minChange, minSurge, minClearSurge, maxLikeness } = options;
  const surgeNeeded = lerp(minClearSurge, minSurge, clamp(likeness / maxLikeness, 0, 1));
  const surroundings = around.length ? mean(around) : 0;
  return Math.min(
    change / minChange,
    // The cap keeps the curve finite where nothing at all moves.
    Math.min(change / surroundings, maxSurge) / surgeNeeded,
    Math.max(0, 1 - likeness) / (1 - maxLikeness),
  );
}

const maxSurge = 100;

/** Changes at the given places, repeated frames left out: 24 frames shown as 60 stand still half of the time. */
const changesAt = (frames: readonly CutFrame[], indices: readonly number[], options: CutScoreOptions) =>
  indices.flatMap(i => {
    const change = frames[i - 1] && frames[i]?.change;
    return change !== undefined && change >= options.repeatChange ? [change] : [];
  });
