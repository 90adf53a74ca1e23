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
 * Fitted by multinomial logistic regression on scenes made of people whom the speaker model was not trained on, with
 * offsets of lips and sound of −10…+10 frames per face (models/training/decision tells how they do on others). No
 * evidence may speak against a face: a negative weight would be an accident of the scenes. Of nobody's logit 2 is taken
 * off: in the scenes a voice is off screen in a quarter of the speech, and 2 less is the prior of one in twenty-three. In
 * footage that people reframe it is rare. Fitted to edge-speaker; LR-ASD takes them too
 * (one of several faces right in .884 of the judged mixes, .868 with the weights before).
 */
const withLips: OddsWeights = {
  features: [0.91, 1.71, 0, 0, 0, 0.22, 1.31, 1.14, 0.18],
  nobodyAlone: -1.59,
  nobodyAmong: -2.56,
};
/** For scores without a comparison of lips and sound: fitted to LR-ASD, on 52 scenes of training people. */
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
