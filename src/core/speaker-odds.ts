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
 * off (1.5 where one face is on screen): in the scenes a voice is off screen in a quarter of the speech, in footage that
 * people reframe far less often.
 */
const fitted: Readonly<Record<string, OddsWeights>> = {
  'edge-speaker': {
    features: [0.43, 0.92, 0, 0, 0, 0.08, 0.48, 0.83, 0.62],
    nobodyAlone: 0,
    nobodyAmong: -0.28,
  },
};
/** For scores without a comparison of lips and sound, whatever model gives them: fitted to LR-ASD. */
const withoutLips: OddsWeights = {
  features: [0.9, 1.1, 0, 0.2, 0.6, 0, 0, 0, 0],
  nobodyAlone: -0.3,
  nobodyAmong: -0.5,
};

/** @param hasLips - Whether lips and sound were compared. */
export const weightsFor = (scoredBy: string, hasLips: boolean): OddsWeights =>
  (hasLips && fitted[scoredBy]) || withoutLips;

/** The logit of a face at one of its frames. */
export function faceLogit(features: readonly Float64Array[], frame: number, weights: OddsWeights): number {
  let logit = 0;
  for (let f = 0; f < featureCount; f++) logit += weights.features[f]! * features[f]![frame]!;
  return logit;
}
