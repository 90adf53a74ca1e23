import { agglomerate } from '../agglomerate.js';
import { voiceLikelihood } from '../voice-likelihood.js';

/** How something that speaks sounds: the sum of the voices of its pieces, its direction, and how many seconds went into it. */
export type Voice = { readonly sum: Float64Array; readonly unit: Float64Array; readonly sec: number };

/** @param sum - Of the voices of pieces, each counted for the seconds in it that are its own. */
export function voiceOf(sum: Float64Array, sec: number): Voice {
  const length = Math.hypot(...sum);
  return { sum, unit: sum.map(value => (length ? value / length : 0)), sec };
}

/** By less speech a voice is not known, seconds. 0.4 and 0.7 were tried on the mixes that tune: error .166 and .170 (from a ratio of 1 on). */
const leastSec = 0.4;

export type ClusterOptions = {
  /** Log-likelihood ratio of one voice to two above which voices are taken for one. */
  readonly sameFrom: number;
};

/**
 * One voice is as likely as two where the calibrated ratio is 0, but people recorded together sound more alike than the
 * calibration's pairs. Error rates from 0, 1, 2 and 3 on (`bench:words -- --diarization`): mixes that tune .175, .166, .169 and .174,
 * listeners under four voices off screen .498, .498, .141 and .141.
 */
export const defaultClusterOptions: ClusterOptions = { sameFrom: 2 };

/**
 * Finds which voices are one (agglomerative: the two that are most likely one are joined, again and again, until no two
 * are more likely one than two). Voices of less than 0.4 s stay alone.
 *
 * @param apart - For each voice the indices of those that cannot be the same, both ways.
 * @returns For each voice the number of its cluster: the index of the cluster's first voice.
 */
export function clusterVoices(
  voices: readonly Voice[],
  apart: readonly ReadonlySet<number>[],
  { sameFrom }: ClusterOptions = defaultClusterOptions,
): Int32Array {
  return agglomerate(voices, apart, {
    ratio: voiceRatio,
    join: (a, b) =>
      voiceOf(
        a.sum.map((value, i) => value + b.sum[i]!),
        a.sec + b.sec,
      ),
    sameFrom,
    isKnown: ({ sec }) => sec >= leastSec,
  });
}

/** Log-likelihood ratio of two voices being one; 0, which says nothing, where one of them is not known. */
export function voiceRatio(a: Voice, b: Voice): number {
  if (a.sec < leastSec || b.sec < leastSec) return 0;
  let cosine = 0;
  for (let i = 0; i < a.unit.length; i++) cosine += a.unit[i]! * b.unit[i]!;
  return voiceLikelihood(cosine, a.sec, b.sec);
}
