import type { FrameTime } from '../schema/time.js';
import type { Analyser } from './analyser.js';
import {
  type CutFrame,
  type CutScoreOptions,
  cutLookAhead,
  cutScore,
  defaultCutScoreOptions,
} from './cut-score.js';
import { type DissolveOptions, defaultDissolveOptions, findDissolve } from './dissolve.js';
import {
  addBoundary,
  type Boundary,
  type BoundaryOptions,
  boundariesOf,
  boundaryAtEnd,
  type PlainRun,
  type Shot,
  type ShotPart,
  toShots,
} from './shot-boundaries.js';
import { meanDifference, spreadOf, structureCorrelation, toLevels } from './thumbnail.js';

/** One frame: `thumbnail` is float32 `[27, 48, 3]`, RGB 0–1, the whole picture area-averaged. */
export type ShotSample = FrameTime & { readonly thumbnail: Float32Array };

export type ShotOptions = Omit<BoundaryOptions, 'maxLikeness'> & {
  readonly score: CutScoreOptions;
  readonly dissolve: DissolveOptions;
  /** A picture that comes back within this time was interrupted by a flash, not cut; seconds. */
  readonly flashSec: number;
  /** Likeness at which a picture counts as come back. */
  readonly minReturnLikeness: number;
};

/** From the development clips; a longer least shot (15 frames, a usual default) loses cuts in fast material. */
export const defaultShotOptions: ShotOptions = {
  score: defaultCutScoreOptions,
  dissolve: defaultDissolveOptions,
  flashSec: 0.25,
  minReturnLikeness: 0.75,
  minShotSec: 0.25,
  plainSpread: 6,
  minPlainShotSec: 0.5,
};

/** Finds where shots begin. */
export interface ShotAnalyser extends Analyser<ShotSample, ShotPart> {
  /**
   * Whether this frame looks like the first of a new shot, known as soon as two more frames (or the end) are
   * seen: early enough for tracking, at the price of flashes that only `finish` recognises. Undefined when
   * not known yet, or no longer (answers are kept for about two seconds).
   */
  hardCut(frameNumber: number): boolean | undefined;
  /** The shots so far; the last one has not ended, and a cut of the last quarter of a second may be missing. */
  soFar(): readonly Shot[];
}

/** What is known between two frames. Typed arrays become lists in a saved state. */
type State = {
  /** Where the first pushed frame stands. */
  first?: FrameTime;
  /** Colours of the last frame, 0–255. */
  lastRgb?: Float32Array;
  /** The last frames, as far back as any question reaches. */
  frames: CutFrame[];
  /** Cut scores since the first frame; the last {@link cutLookAhead} frames have none yet. */
  curve: number[];
  /** How many frames have been decided upon. */
  decidedCount: number;
  cuts: Boundary[];
  plain?: PlainRun;
  lastDissolveSec: number;
};

/** Builds the analyser. Its memory does not grow with the video but for the curve. */
export function createShotAnalyser(options: ShotOptions = defaultShotOptions): ShotAnalyser {
  let state: State = { frames: [], curve: [], decidedCount: 0, cuts: [], lastDissolveSec: -1e9 };
  const joining = { ...options, maxLikeness: options.score.maxLikeness };
  const longestSec = Math.max(...options.dissolve.windowsSec);

  /** Index among the kept frames of the frame with this rank since the first. */
  const keptIndex = (rank: number) => rank + state.first!.frameNumber - state.frames[0]!.frameNumber;

  const score = (rank: number) => {
    state.curve.push(cutScore(state.frames, keptIndex(rank), options.score));
  };

  const decide = (rank: number) => {
    const index = keptIndex(rank);
    const frame = state.frames[index]!;
    const cut = { frameNumber: frame.frameNumber, timeSec: frame.timeSec, score: state.curve[rank]! };
    const isPlain = frame.spread < options.plainSpread;
    if (isPlain && !state.plain) {
      const before = state.frames[index - 1];
      state.plain = { start: cut, ...(before && { before: before.luma }) };
    } else if (!isPlain && state.plain) {
      for (const boundary of boundariesOf(state.plain, { ...cut, luma: frame.luma }, joining)) add(boundary);
      delete state.plain;
    } else if (!isPlain && cut.score >= 1 && !isFlash(state.frames, index, options)) add(cut);
    state.decidedCount = rank + 1;
  };

  const add = (boundary: Boundary) => addBoundary(state.cuts, boundary, options.minShotSec);

  const addDissolve = (nowSec: number) => {
    if (nowSec - state.lastDissolveSec < longestSec) return;
    const found = findDissolve(state.frames, options.dissolve);
    if (!found) return;
    add({ frameNumber: found.frameNumber, timeSec: found.timeSec, score: 1 });
    state.lastDissolveSec = nowSec;
  };

  return {
    push({ frameNumber, timeSec, thumbnail }) {
      const last = state.frames.at(-1);
      if (last && frameNumber !== last.frameNumber + 1) {
        throw new RangeError(`frame ${frameNumber} does not follow frame ${last.frameNumber}`);
      }
      state.first ??= { frameNumber, timeSec };
      const { rgb, luma } = toLevels(thumbnail);
      state.frames.push({
        frameNumber,
        timeSec,
        luma,
        change: state.lastRgb ? meanDifference(rgb, state.lastRgb) : 0,
        likeness: last ? structureCorrelation(luma, last.luma) : 1,
        spread: spreadOf(luma),
      });
      state.lastRgb = rgb;
      const rank = frameNumber - state.first.frameNumber;
      if (rank >= cutLookAhead) score(rank - cutLookAhead);
      for (let next = state.decidedCount; next < state.curve.length; next++) {
        if (timeSec - state.frames[keptIndex(next)]!.timeSec <= options.flashSec) break;
        decide(next);
      }
      addDissolve(timeSec);
      const old = state.frames.findIndex(frame => timeSec - frame.timeSec <= longestSec + options.flashSec);
      state.frames.splice(0, Math.min(old, keptIndex(state.decidedCount) - cutLookAhead - 2));
    },

    hardCut(frameNumber) {
      if (!state.first) return undefined;
      const rank = frameNumber - state.first.frameNumber;
      const index = keptIndex(rank);
      if (rank >= state.curve.length || index < 0) return undefined;
      // Only what is known when the answer is first given counts, so that it never changes.
      const known = state.frames.slice(0, index + cutLookAhead + 1);
      return state.curve[rank]! >= 1 && !isFlash(known, index, options);
    },

    soFar: () => (state.first ? toShots(state.first, state.cuts, state.frames.at(-1)!) : []),

    finish() {
      if (!state.first) return { shots: [], curve: new Float32Array() };
      const last = state.frames.at(-1)!;
      const count = last.frameNumber - state.first.frameNumber + 1;
      for (let rank = state.curve.length; rank < count; rank++) score(rank);
      for (let rank = state.decidedCount; rank < count; rank++) decide(rank);
      for (const boundary of boundaryAtEnd(state.plain, last, joining)) add(boundary);
      return { shots: toShots(state.first, state.cuts, last), curve: Float32Array.from(state.curve) };
    },

    save: () => toPlain(state),
    load(saved) {
      state = fromPlain(saved as PlainState);
    },
  };
}

/** The old picture is back soon after, or the new one was there shortly before. */
function isFlash(frames: readonly CutFrame[], index: number, options: ShotOptions): boolean {
  const fresh = frames[index]!;
  // A blended frame may already resemble the new picture; the old picture is then one frame earlier.
  const oldIndex = fresh.likeness > options.score.maxLikeness ? index - 2 : index - 1;
  const old = frames[oldIndex];
  if (!old) return false;
  const isBack = (a: CutFrame, b: CutFrame) =>
    structureCorrelation(a.luma, b.luma) > options.minReturnLikeness;
  return frames.some(
    (frame, i) =>
      (i > index && frame.timeSec - fresh.timeSec <= options.flashSec && isBack(old, frame)) ||
      (i < oldIndex && old.timeSec - frame.timeSec <= options.flashSec && isBack(frame, fresh)),
  );
}

type Plain<T> = T extends Float32Array ? number[] : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;
type PlainState = Plain<State>;

const toPlain = (state: State): PlainState =>
  JSON.parse(
    JSON.stringify(state, (_, value) => (value instanceof Float32Array ? Array.from(value) : value)),
  );

function fromPlain(saved: PlainState): State {
  const { lastRgb, frames, plain, ...rest } = saved;
  return {
    ...rest,
    frames: frames.map(frame => ({ ...frame, luma: Float32Array.from(frame.luma) })),
    cuts: [...rest.cuts],
    curve: [...rest.curve],
    ...(lastRgb && { lastRgb: Float32Array.from(lastRgb) }),
    ...(plain && {
      plain: { start: plain.start, ...(plain.before && { before: Float32Array.from(plain.before) }) },
    }),
  };
}
