import type { FrameTime } from '../schema/time.js';
import { structureCorrelation } from './thumbnail.js';

/** A stretch without a cut; `endFrame` and `endSec` are exclusive. */
export type Shot = {
  readonly startFrame: number;
  readonly endFrame: number;
  readonly startSec: number;
  readonly endSec: number;
};

/** Shots tile the frames that were pushed. `curve` holds the cut score of each: 1 and more was a candidate. */
export type ShotPart = { readonly shots: readonly Shot[]; readonly curve: Float32Array };

/** The first frame of a shot, and how sure that is; higher is surer. */
export type Boundary = FrameTime & { readonly score: number };

/** A run of plain frames that has not ended: how it began, and the brightness of the picture before it. */
export type PlainRun = { readonly start: Boundary; readonly before?: Float32Array };

/** How boundaries that are close together, or at plain pictures, become shots. */
export type BoundaryOptions = {
  /** Of two cuts closer than this only the stronger stays; seconds. */
  readonly minShotSec: number;
  /** Pictures with less spread of brightness, in levels, are plain: black, white, one colour. */
  readonly plainSpread: number;
  /** A plain stretch with hard ends is a shot of its own from this length, else a dip; seconds. */
  readonly minPlainShotSec: number;
  /** Likeness of structure above which a picture after a plain stretch counts as the picture before. */
  readonly maxLikeness: number;
};

/** Adds a boundary to those before it, or puts it in the place of a weaker one that is too close. */
export function addBoundary(boundaries: Boundary[], fresh: Boundary, minShotSec: number): void {
  const { frameNumber, timeSec, score } = fresh;
  const last = boundaries.at(-1);
  if (!last || timeSec - last.timeSec >= minShotSec) boundaries.push({ frameNumber, timeSec, score });
  else if (score > last.score) boundaries[boundaries.length - 1] = { frameNumber, timeSec, score };
}

/** Where a run of plain frames, which ends with the picture `fresh`, divides the shots. */
export function boundariesOf(
  { start, before }: PlainRun,
  fresh: Boundary & { luma: Float32Array },
  options: BoundaryOptions,
): Boundary[] {
  const [hardStart, hardEnd] = [start.score >= 1, fresh.score >= 1];
  const lengthSec = fresh.timeSec - start.timeSec;
  const isShot = lengthSec >= options.minPlainShotSec;
  if (!before) return hardEnd && isShot ? [fresh] : [];
  if (!isShot && structureCorrelation(before, fresh.luma) > options.maxLikeness) return [];
  if (hardStart && hardEnd && isShot) return [start, fresh];
  if (hardEnd) return [fresh];
  if (hardStart) return [start];
  const middle = Math.round((fresh.frameNumber - start.frameNumber) / 2);
  return [{ frameNumber: start.frameNumber + middle, timeSec: start.timeSec + lengthSec / 2, score: 1 }];
}

/** The shot that a plain run begins when no picture follows: a hard cut to black ends a shot, a fade-out does not. */
export const boundaryAtEnd = (
  plain: PlainRun | undefined,
  last: FrameTime,
  { minShotSec }: BoundaryOptions,
): Boundary[] =>
  plain && plain.start.score >= 1 && last.timeSec - plain.start.timeSec >= minShotSec ? [plain.start] : [];

/** The shots between boundaries; the last one ends with the last frame, if that lasts as long as the others. */
export function toShots(first: FrameTime, boundaries: readonly Boundary[], last: FrameTime): Shot[] {
  const count = last.frameNumber - first.frameNumber + 1;
  const frameSec = count > 1 ? (last.timeSec - first.timeSec) / (count - 1) : 0;
  const end = { frameNumber: last.frameNumber + 1, timeSec: last.timeSec + frameSec };
  const starts = [first, ...boundaries, end];
  return starts.slice(1).map((next, i) => ({
    startFrame: starts[i]!.frameNumber,
    endFrame: next.frameNumber,
    startSec: starts[i]!.timeSec,
    endSec: next.timeSec,
  }));
}

/**
 * Takes the frame of a cut from whoever places cuts best: a network that sees 48×27 pixels knows that there is a cut, and
 * is at times a frame late where half of the picture changes.
 *
 * @param shots - Tile a video. Their starts move to those of `exact` that are within `reachFrames`.
 */
export function snapStarts(shots: readonly Shot[], exact: readonly Shot[], reachFrames = 1): Shot[] {
  const starts = shots.map(({ startFrame, startSec }, i) => {
    const near = ({ startFrame: other }: Shot) => Math.abs(other - startFrame) <= reachFrames;
    const better = i > 0 ? exact.find(near) : undefined;
    return { startFrame: better?.startFrame ?? startFrame, startSec: better?.startSec ?? startSec };
  });
  return shots.map((shot, i) => {
    const next = starts[i + 1];
    return { ...shot, ...starts[i]!, ...(next && { endFrame: next.startFrame, endSec: next.startSec }) };
  });
}
