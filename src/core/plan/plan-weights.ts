import type { Layout, PlanRequest } from '../../schema/plan.js';

/**
 * What a plan is worth, in seconds of framed speech: a second in which one face surely speaks and fills the output is
 * worth 1. Every weight has a scene in `test/unit/core/plan/plan-weights.test.ts` that it decides.
 */
export type PlanWeights = {
  /**
   * What a second of speech is worth in a layout, beside 1 in a window of its own: the face is smaller, the eye must look
   * for who speaks. With `stack` at 0.9 a face alone is worth more from a probability of about 0.87 on. That of `group`
   * and `fit` holds for faces as large as alone, and falls with the root of their size.
   */
  readonly seen: Readonly<Record<Layout, number>>;
  /** What a face counts for that another's window happens to show as well, beside 1: it is not in the middle. */
  readonly beside: number;
  /** Faces lower than this share of the output are worth proportionally less. Phones are held at arm's length. */
  readonly readableRatio: number;
  /** Costs of every panel but the first, per second: the eye has more to look at. */
  readonly panelPerSec: number;
  /** Costs of a change of view. */
  readonly change: number;
  /** Costs of a change that is one of layout as well. */
  readonly layoutChange: number;
  /** A view that lasts shorter cannot be read; seconds. */
  readonly shortViewSec: number;
  /** What each second costs by which a view is too short. */
  readonly shortView: number;
  /** A view that lasts shorter is brisk: one now and then is welcome, a row of them is not; seconds. */
  readonly briskViewSec: number;
  /** What each second costs by which a view is brisk. */
  readonly briskView: number;
  /** Costs of a face that surely speaks alone and has to share the output with others, per second. */
  readonly sharedPerSec: number;
  /** Costs of a panel whose face has left, per second, while somebody else is there. */
  readonly absentPerSec: number;
  /** Costs of a panel whose face is lost for a moment or has turned away, per second. */
  readonly turnedPerSec: number;
  /** What a second of an interjection is worth: shorter than a turn, by somebody who listens otherwise. */
  readonly interjection: number;
  /** The largest, most central and longest seen face is worth this more where speech does not tell; once. */
  readonly salience: number;
  /** Worth of a whole screen or slide in sight, per second. */
  readonly screenPerSec: number;
  /** Worth of one picture of all while three or more speak or laugh at once, per second. */
  readonly togetherPerSec: number;
  /** Worth of one picture of all while a new panel of three or more opens, per second. */
  readonly openingPerSec: number;
  /** How long a panel opens at least, and while nobody has spoken yet; seconds. */
  readonly openingSec: readonly [least: number, most: number];
  /** Costs of lettering that a window cuts through, per second. */
  readonly cutTextPerSec: number;
  /** Costs of following a face over one window width within a second. */
  readonly travel: number;
};

const standard: PlanWeights = {
  seen: {
    single: 1,
    stack: 0.9,
    'grid-3': 0.82,
    'grid-4': 0.76,
    'screen-speaker': 0.85,
    inset: 0.7,
    group: 0.95,
    fit: 0.8,
  },
  beside: 0.95,
  readableRatio: 0.08,
  panelPerSec: 0.03,
  change: 0.22,
  layoutChange: 0.6,
  shortViewSec: 1.2,
  shortView: 2.5,
  briskViewSec: 2,
  briskView: 0.2,
  sharedPerSec: 0.25,
  absentPerSec: 0.5,
  turnedPerSec: 0.08,
  interjection: 0.45,
  salience: 0.2,
  screenPerSec: 0.4,
  togetherPerSec: 1.2,
  openingPerSec: 1.3,
  openingSec: [1.5, 3],
  cutTextPerSec: 0.12,
  travel: 0.4,
};

/** Weights by `pace`: `calm` changes rarely and dwells, `lively` goes along with nearly every turn. */
export const planWeights: Readonly<Record<PlanRequest['pace'], PlanWeights>> = {
  calm: {
    ...standard,
    change: 0.6,
    layoutChange: 0.9,
    shortViewSec: 2,
    briskViewSec: 3.5,
    openingSec: [2, 3.5],
  },
  standard,
  lively: {
    ...standard,
    change: 0.12,
    layoutChange: 0.4,
    shortViewSec: 0.8,
    briskViewSec: 1.4,
    interjection: 0.7,
  },
};
