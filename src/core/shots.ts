import type { SceneDetection } from '../schema/result.js';
import type { FrameTime, SourceClock } from '../schema/time.js';
import type { Analyser } from './analyser.js';
import {
  type CutFrame,
  type CutScoreOptions,
  cutLookAhead,
  cutScore,
  defaultCutScoreOptions,
} from './cut-score.js';
import { type DissolveOptions, defaultDissolveOptions, findDissolve } from './dissolve.js';
import { meanDifference, spreadOf, structureCorrelation, toLevels } from './thumbnail.js';

/** One frame: `thumbnail` is float32 `[27, 48, 3]`, RGB 0–1, the whole picture area-averaged. */
export type ShotSample = FrameTime & { readonly thumbnail: Float32Array };

/** A stretch without a cut; `endFrame` and `endSec` are exclusive. */
export type Shot = {
  readonly startFrame: number;
  readonly endFrame: number;
  readonly startSec: number;
  readonly endSec: number;
};

/** Shots tile the frames that were pushed. `curve` holds the cut score of each: 1 and more was a candidate. */
export type ShotPart = { readonly shots: readonly Shot[]; readonly curve: Float32Array };

export type ShotOptions = {
  readonly score: CutScoreOptions;
  readonly dissolve: DissolveOptions;
  /** A picture that comes back within this time was interrupted by a flash, not cut; seconds. */
  readonly flashSec: number;
  /** Likeness at which a picture counts as come back. */
  readonly minReturnLikeness: number;
  /** Of two cuts closer than this only the stronger stays; seconds. */
  readonly minShotSec: number;
  /** Pictures with less spread of brightness, in levels, are plain: black, white, one colour. */
  readonly plainSpread: number;
  /** A plain stretch with hard ends is a shot of its own from this length, else a dip; seconds. */
  readonly minPlainShotSec: number;
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

type Cut = FrameTime & { readonly score: number };
/** A run of plain frames that has not ended: how it began, and the picture before it. */
type PlainRun = { readonly start: Cut; readonly before?: Float32Array };

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
  cuts: Cut[];
  plain?: PlainRun;
  lastDissolveSec: number;
};

/** Builds the analyser. Its memory does not grow with the video but for the curve. */
export function createShotAnalyser(options: ShotOptions = defaultShotOptions): ShotAnalyser {
  let state: State = { frames: [], curve: [], decidedCount: 0, cuts: [], lastDissolveSec: -1e9 };
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
      for (const boundary of boundariesOf(state.plain, { ...cut, luma: frame.luma }, options)) add(boundary);
      delete state.plain;
    } else if (!isPlain && cut.score >= 1 && !isFlash(state.frames, index, options)) add(cut);
    state.decidedCount = rank + 1;
  };

  const add = ({ frameNumber, timeSec, score }: Cut) => {
    const last = state.cuts.at(-1);
    if (!last || timeSec - last.timeSec >= options.minShotSec)
      state.cuts.push({ frameNumber, timeSec, score });
    else if (score > last.score) state.cuts[state.cuts.length - 1] = { frameNumber, timeSec, score };
  };

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

    soFar: () => (state.first ? toShots([state.first, ...state.cuts, endOf(state)]) : []),

    finish() {
      if (!state.first) return { shots: [], curve: new Float32Array() };
      const last = state.frames.at(-1)!;
      const count = last.frameNumber - state.first.frameNumber + 1;
      for (let rank = state.curve.length; rank < count; rank++) score(rank);
      for (let rank = state.decidedCount; rank < count; rank++) decide(rank);
      const { start } = state.plain ?? {};
      // The picture never comes back: a hard cut to black still ends a shot, a fade-out does not.
      if (start && start.score >= 1 && last.timeSec - start.timeSec >= options.minShotSec) add(start);
      return {
        shots: toShots([state.first, ...state.cuts, endOf(state)]),
        curve: Float32Array.from(state.curve),
      };
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
  // A blended frame may already resemble the new picture; the old one is then before it.
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

/** Where a run of plain frames, which ends with the picture `fresh`, divides the shots. */
function boundariesOf(
  { start, before }: PlainRun,
  fresh: Cut & { luma: Float32Array },
  options: ShotOptions,
): Cut[] {
  const [hardStart, hardEnd] = [start.score >= 1, fresh.score >= 1];
  const lengthSec = fresh.timeSec - start.timeSec;
  const isShot = lengthSec >= options.minPlainShotSec;
  if (!before) return hardEnd && isShot ? [fresh] : [];
  if (!isShot && structureCorrelation(before, fresh.luma) > options.score.maxLikeness) return [];
  if (hardStart && hardEnd && isShot) return [start, fresh];
  if (hardEnd) return [fresh];
  if (hardStart) return [start];
  const middle = Math.round((fresh.frameNumber - start.frameNumber) / 2);
  return [{ frameNumber: start.frameNumber + middle, timeSec: start.timeSec + lengthSec / 2, score: 1 }];
}

/** Where the last frame ends, if it lasts as long as the others. */
function endOf({ first, frames }: State): FrameTime {
  const last = frames.at(-1)!;
  const count = last.frameNumber - first!.frameNumber + 1;
  const frameSec = count > 1 ? (last.timeSec - first!.timeSec) / (count - 1) : 0;
  return { frameNumber: last.frameNumber + 1, timeSec: last.timeSec + frameSec };
}

const toShots = (starts: readonly FrameTime[]): Shot[] =>
  starts.slice(1).map((end, i) => ({
    startFrame: starts[i]!.frameNumber,
    endFrame: end.frameNumber,
    startSec: starts[i]!.timeSec,
    endSec: end.timeSec,
  }));

/**
 * Writes shots as the wire's `scene_detection`.
 *
 * @param clock - Of the source; its duration ends the last shot if that ends with the source.
 */
export function toSceneDetection(
  shots: readonly Shot[],
  clock: SourceClock & { readonly durationSec: number },
): SceneDetection {
  return {
    model: 'thumbnail-cuts',
    video_fps: clock.frameRateHz,
    total_frames: clock.totalFrames,
    scene_count: shots.length,
    scenes: shots.map((shot, scene_id) => ({
      scene_id,
      start_time: shot.startSec,
      end_time: shot.endFrame >= clock.totalFrames ? clock.durationSec : shot.endSec,
      start_frame: shot.startFrame,
      end_frame: shot.endFrame,
    })),
  };
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
