import { gridRateHz } from './face-crops.js';
import { movingMean } from './moving-mean.js';
import { featureNames } from './speaker-features.js';

/**
 * How often a face that was taken for a second speaker was one: 25 of 55 frames on the mixes that tune and the
 * development clips (all 19 of the clips, 6 of 36 of the mixes, in which hardly anybody talks over anybody).
 */
export const secondConfidence = 0.45;
/** Scores above this are alike: a mouth that surely talks must not outvote the sound. */
const scoreCap = 3;
const twoSeconds = {
  contrast: featureNames.indexOf('contrast 2 s'),
  sync: featureNames.indexOf('sync 2 s'),
} as const;

/**
 * A second face speaks too when over 2 s its whole reward, contrast and agreement all reach this. The agreement
 * is the best of many offsets, and above 0.5 for some mouths that only move.
 */
export type SecondVoiceOptions = {
  readonly reward: number;
  readonly contrast: number;
  readonly sync: number;
};

export const defaultSecondVoiceOptions: SecondVoiceOptions = { reward: 5, contrast: 2, sync: 0.9 };

/**
 * Whether a face speaks beside the one that has the voice, per frame.
 *
 * @param score - Smoothed raw score.
 * @param features - Of `speakerFeatures`.
 */
export function secondVoice(
  { score, features }: { readonly score: Float64Array; readonly features: readonly Float64Array[] },
  options: SecondVoiceOptions,
): (i: number) => boolean {
  const meanScore = movingMean(
    score.map(value => Math.min(scoreCap, value)),
    2 * gridRateHz + 1,
  );
  const [contrast, sync] = [features[twoSeconds.contrast]!, features[twoSeconds.sync]!];
  return i =>
    score[i]! > 0 &&
    // Features hold half of the contrast. Agreement counts half as much again, as when the threshold was chosen.
    meanScore[i]! + 2 * contrast[i]! + 1.5 * sync[i]! > options.reward &&
    2 * contrast[i]! > options.contrast &&
    sync[i]! > options.sync;
}
