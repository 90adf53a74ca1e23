import { featureCount } from './speaker-features.js';

/** What each feature is worth, and what "nobody on screen" has of itself. */
export type OddsWeights = {
  /** `[featureCount]`, in the order of `featureNames`. */
  readonly features: readonly number[];
  /** Logit of nobody on screen while speech is heard: with one face on screen, and with several. */
  readonly nobodyAlone: number;
  readonly nobodyAmong: number;
};

/**
 * Fitted by multinomial logistic regression on scenes made of training people, with offsets of lips and sound of
 * −10…+10 frames per face (models/training/decision tells how they do on people that no model was trained on). No
 * evidence may speak against a face: a negative weight would be an accident of the scenes. Of nobody's logit 1 is taken
 * off (0.5 more where one face is on screen): in the scenes a voice is off screen in a quarter of the speech, in footage
 * that people reframe far less often. Fitted to edge-speaker; with LR-ASD as good as weights of its own on the hard
 * clips (.835, against .772 with weights fitted on the few scenes that were embedded with LR-ASD).
 */
const withLips: OddsWeights = {
  features: [0.43, 0.92, 0, 0, 0, 0.08, 0.48, 0.83, 0.62],
  nobodyAlone: 0,
  nobodyAmong: -0.28,
};
/** For scores without a comparison of lips and sound: fitted in the same way to LR-ASD, on 52 scenes. */
const withoutLips: OddsWeights = {
  features: [0.5, 1.46, 0, 0, 1.11, 0, 0, 0, 0],
  nobodyAlone: -1.85,
  nobodyAmong: -0.81,
};

/** @param hasLips - Whether lips and sound were compared. */
export const weightsFor = (hasLips: boolean): OddsWeights => (hasLips ? withLips : withoutLips);

/** The logit of a face at one of its frames. */
export function faceLogit(features: readonly Float64Array[], frame: number, weights: OddsWeights): number {
  let logit = 0;
  for (let f = 0; f < featureCount; f++) logit += weights.features[f]! * features[f]![frame]!;
  return logit;
}
