import type { FrameTime } from '../schema/time.js';
import type { Analyser } from './analyser.js';
import { defaultCutScoreOptions } from './cut-score.js';
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
import { defaultShotOptions, type ShotSample } from './shots.js';
import { spreadOf, structureCorrelation, toLevels } from './thumbnail.js';

/** One frame, and what a network says about it: both probabilities are 0–1. */
export type CurveSample = ShotSample & { readonly cut: number; readonly transition: number };

export type CurveShotOptions = BoundaryOptions & {
  /** Least probability of a cut. */
  readonly minCut: number;
  /** Least probability of a frame of a gradual transition. */
  readonly minTransition: number;
  /** Least probability that some frame of a transition reaches, and least mean from its first to its last frame. */
  readonly minTransitionPeak: number;
  readonly minTransitionMean: number;
  /** Greatest likeness of structure of the pictures before and after a transition. */
  readonly maxTransitionLikeness: number;
  /**
   * In a dissolve and in a wipe each pixel of the middle frame lies between those before and after, but for what moves.
   * Greatest sum of what lies outside, as a share of the whole change.
   */
  readonly maxOutsideRatio: number;
  /** Shorter or longer transitions are none; seconds. */
  readonly minTransitionSec: number;
  readonly maxTransitionSec: number;
  /**
   * A transition has ended when no frame was of it for this long, seconds: probabilities waver, and a cut
   * just after a transition must be known before the transition is judged.
   */
  readonly bridgeSec: number;
};

export const defaultCurveShotOptions: CurveShotOptions = {
  ...defaultShotOptions,
  maxLikeness: defaultCutScoreOptions.maxLikeness,
  minCut: 0.5,
  minTransition: 0.5,
  minTransitionPeak: 0.9,
  minTransitionMean: 0.75,
  maxTransitionLikeness: 0.4,
  maxOutsideRatio: 0.22,
  minTransitionSec: 0.1,
  maxTransitionSec: 4,
  bridgeSec: 0.25,
};

/** A transition that may still go on. */
type Transition = {
  readonly start: FrameTime;
  /** The last frame of the transition so far, and how many frames that is from the start. */
  end: FrameTime;
  length: number;
  peak: number;
  /** Sums of probabilities up to the last frame of the transition, and up to the present frame. */
  sum: number;
  sumSoFar: number;
  /**
   * Whether the transition holds a plain picture: a fade, then, and the plain stretch says where shots
   * divide.
   */
  plain: boolean;
  /** Brightness of the frame before the transition and of each frame since then; lists in a saved state. */
  readonly lumas: Float32Array[];
};

type State = {
  first?: FrameTime;
  last?: FrameTime;
  /** Brightness of the last frame, 0–255; a list in a saved state. */
  lastLuma?: Float32Array;
  /** Cut probabilities in units of the threshold. */
  curve: number[];
  boundaries: Boundary[];
  plain?: PlainRun;
  transition?: Transition;
};

/** Finds shots from curves. */
export interface CurveShotAnalyser extends Analyser<CurveSample, ShotPart> {
  /** The shots of the frames so far; the last one has not ended, and a transition that still goes on is not in them. */
  soFar(): readonly Shot[];
}

/**
 * Finds where shots begin from the curves of a network: a hard cut where its probability is high, one
 * boundary in the middle of a gradual transition. Plain stretches divide shots as in the model-free analyser.
 */
export function createCurveShotAnalyser(
  options: CurveShotOptions = defaultCurveShotOptions,
): CurveShotAnalyser {
  let state: State = { curve: [], boundaries: [] };
  const add = (boundary: Boundary) => {
    // The first shot too has a least length.
    if (boundary.timeSec - state.first!.timeSec < options.minShotSec) return;
    addBoundary(state.boundaries, boundary, options.minShotSec);
  };

  const endTransition = () => {
    const { transition } = state;
    delete state.transition;
    if (!transition || !isTransition(transition, options)) return;
    const { start, end } = transition;
    // What begins with the video comes from nowhere.
    if (start.timeSec - state.first!.timeSec < options.minShotSec) return;
    // A cut near a transition is what the transition was about.
    if (state.boundaries.some(({ timeSec }) => timeSec > start.timeSec - options.minShotSec)) return;
    const half = Math.ceil((end.frameNumber - start.frameNumber) / 2);
    const timeSec = (start.timeSec + end.timeSec) / 2;
    add({ frameNumber: start.frameNumber + half, timeSec, score: 0.5 });
  };

  const followTransition = (at: FrameTime, probability: number, luma: Float32Array, isPlain: boolean) => {
    if (!state.transition && state.lastLuma && probability >= options.minTransition) {
      const lumas = [state.lastLuma];
      state.transition = { start: at, end: at, length: 0, peak: 0, sum: 0, sumSoFar: 0, plain: false, lumas };
    }
    const { transition } = state;
    if (!transition) return;
    transition.lumas.push(luma);
    transition.plain ||= isPlain;
    transition.sumSoFar += probability;
    if (probability >= options.minTransition) {
      transition.end = at;
      transition.length = transition.lumas.length - 1;
      transition.peak = Math.max(transition.peak, probability);
      transition.sum = transition.sumSoFar;
    }
    const isOver = at.timeSec - transition.end.timeSec > options.bridgeSec;
    if (isOver || at.timeSec - transition.start.timeSec > options.maxTransitionSec) endTransition();
  };

  return {
    push({ frameNumber, timeSec, thumbnail, cut, transition }) {
      if (state.last && frameNumber !== state.last.frameNumber + 1) {
        throw new RangeError(`frame ${frameNumber} does not follow frame ${state.last.frameNumber}`);
      }
      const at = { frameNumber, timeSec };
      const { luma } = toLevels(thumbnail);
      const boundary = { ...at, score: state.first ? cut / options.minCut : 0 };
      state.first ??= at;
      const isPlain = spreadOf(luma) < options.plainSpread;
      const isCut = boundary.score >= 1;
      // In the dark whole shots are plain, and the network sees cuts between them.
      if (state.plain && (isCut || !isPlain)) {
        for (const found of boundariesOf(state.plain, { ...boundary, luma }, options)) add(found);
        delete state.plain;
      } else if (isCut && !isPlain) add(boundary);
      if (isPlain) state.plain ??= { start: boundary, ...(state.lastLuma && { before: state.lastLuma }) };
      followTransition(at, transition, luma, isPlain);
      state.curve.push(boundary.score);
      state.last = at;
      state.lastLuma = luma;
    },

    soFar: () => (state.first && state.last ? toShots(state.first, state.boundaries, state.last) : []),

    finish() {
      const { first, last } = state;
      if (!first || !last) return { shots: [], curve: new Float32Array() };
      // What goes on to the end leads nowhere.
      if (state.transition?.end.frameNumber !== last.frameNumber) endTransition();
      for (const boundary of boundaryAtEnd(state.plain, last, options)) add(boundary);
      return { shots: toShots(first, state.boundaries, last), curve: Float32Array.from(state.curve) };
    },

    save: () =>
      JSON.parse(JSON.stringify(state, (_, value) => (value instanceof Float32Array ? [...value] : value))),
    load(saved) {
      const restore = (key: string, value: unknown) =>
        key === 'before' || key === 'lastLuma'
          ? Float32Array.from(value as number[])
          : key === 'lumas'
            ? (value as number[][]).map(luma => Float32Array.from(luma))
            : value;
      state = JSON.parse(JSON.stringify(saved), restore) as State;
    },
  };
}

/** Whether a stretch of likely frames is a transition between two pictures. */
function isTransition(transition: Transition, options: CurveShotOptions): boolean {
  const { start, end, length, peak, sum, plain, lumas } = transition;
  const lengthSec = end.timeSec - start.timeSec;
  if (plain || peak < options.minTransitionPeak || sum / length < options.minTransitionMean) return false;
  if (lengthSec < options.minTransitionSec || lengthSec > options.maxTransitionSec) return false;
  const [before, middle] = [lumas[0]!, lumas[Math.ceil(length / 2)]!];
  const after = lumas[Math.min(length + 1, lumas.length - 1)]!;
  // Something may have passed before the lens, or a graphic come and gone.
  if (structureCorrelation(before, after) > options.maxTransitionLikeness) return false;
  let [outside, change] = [0, 0];
  for (const [i, value] of middle.entries()) {
    const [low, high] = [Math.min(before[i]!, after[i]!), Math.max(before[i]!, after[i]!)];
    outside += Math.max(0, low - value, value - high);
    change += high - low;
  }
  return outside <= options.maxOutsideRatio * change;
}
