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
  type ShotPart,
  toShots,
} from './shot-boundaries.js';
import { defaultShotOptions, type ShotSample } from './shots.js';
import { spreadOf, toLevels } from './thumbnail.js';

/** One frame, and what a network says about it: both probabilities are 0–1. */
export type CurveSample = ShotSample & { readonly cut: number; readonly transition: number };

export type CurveShotOptions = BoundaryOptions & {
  /** Least probability of a cut. */
  readonly minCut: number;
  /** Least probability of a frame of a gradual transition. */
  readonly minTransition: number;
  /** Least probability that some frame of a transition reaches. */
  readonly minTransitionPeak: number;
  /** Shorter transitions are none; seconds. */
  readonly minTransitionSec: number;
  /**
   * A transition has ended when no frame was of it for this long, seconds: probabilities waver, and a cut just after it
   * must be known before it is judged.
   */
  readonly bridgeSec: number;
};

export const defaultCurveShotOptions: CurveShotOptions = {
  ...defaultShotOptions,
  maxLikeness: defaultCutScoreOptions.maxLikeness,
  minCut: 0.5,
  minTransition: 0.5,
  minTransitionPeak: 0.8,
  minTransitionSec: 0.1,
  bridgeSec: 0.25,
};

/** A transition that may still go on. */
type Transition = { readonly start: FrameTime; end: FrameTime; peak: number; plain: boolean };

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

/**
 * Finds where shots begin from the curves of a network: a hard cut where its probability is high, one boundary in the
 * middle of a gradual transition. Plain stretches divide shots as the model-free analyser has it.
 */
export function createCurveShotAnalyser(
  options: CurveShotOptions = defaultCurveShotOptions,
): Analyser<CurveSample, ShotPart> {
  let state: State = { curve: [], boundaries: [] };
  const add = (boundary: Boundary) => addBoundary(state.boundaries, boundary, options.minShotSec);

  const endTransition = () => {
    const { transition } = state;
    delete state.transition;
    if (!transition || transition.plain || transition.peak < options.minTransitionPeak) return;
    const { start, end } = transition;
    if (end.timeSec - start.timeSec < options.minTransitionSec) return;
    // A cut near it is what the transition was about.
    if (state.boundaries.some(({ timeSec }) => timeSec > start.timeSec - options.minShotSec)) return;
    const share = Math.ceil((end.frameNumber - start.frameNumber) / 2);
    const timeSec = (start.timeSec + end.timeSec) / 2;
    add({ frameNumber: start.frameNumber + share, timeSec, score: 0.5 });
  };

  const followTransition = (at: FrameTime, probability: number, isPlain: boolean) => {
    const { transition } = state;
    if (probability >= options.minTransition) {
      if (!transition) state.transition = { start: at, end: at, peak: probability, plain: isPlain };
      else {
        transition.end = at;
        transition.peak = Math.max(transition.peak, probability);
      }
    }
    if (!state.transition) return;
    state.transition.plain ||= isPlain;
    if (at.timeSec - state.transition.end.timeSec > options.bridgeSec) endTransition();
  };

  return {
    push({ frameNumber, timeSec, thumbnail, cut, transition }) {
      if (state.last && frameNumber !== state.last.frameNumber + 1) {
        throw new RangeError(`frame ${frameNumber} does not follow frame ${state.last.frameNumber}`);
      }
      const at = { frameNumber, timeSec };
      const { luma } = toLevels(thumbnail);
      const boundary = { ...at, score: state.first ? cut / options.minCut : 0 };
      const isPlain = spreadOf(luma) < options.plainSpread;
      if (isPlain && !state.plain) {
        state.plain = { start: boundary, ...(state.lastLuma && { before: state.lastLuma }) };
      } else if (!isPlain && state.plain) {
        for (const found of boundariesOf(state.plain, { ...boundary, luma }, options)) add(found);
        delete state.plain;
      } else if (!isPlain && boundary.score >= 1) add(boundary);
      followTransition(at, transition, isPlain);
      state.curve.push(boundary.score);
      state.first ??= at;
      state.last = at;
      state.lastLuma = luma;
    },

    finish() {
      const { first, last } = state;
      if (!first || !last) return { shots: [], curve: new Float32Array() };
      endTransition();
      for (const boundary of boundaryAtEnd(state.plain, last, options)) add(boundary);
      return { shots: toShots(first, state.boundaries, last), curve: Float32Array.from(state.curve) };
    },

    save: () =>
      JSON.parse(JSON.stringify(state, (_, value) => (value instanceof Float32Array ? [...value] : value))),
    load(saved) {
      const { lastLuma, plain, ...rest } = JSON.parse(JSON.stringify(saved)) as State;
      state = {
        ...rest,
        ...(lastLuma && { lastLuma: Float32Array.from(lastLuma) }),
        ...(plain && {
          plain: { ...plain, ...(plain.before && { before: Float32Array.from(plain.before) }) },
        }),
      };
    },
  };
}
