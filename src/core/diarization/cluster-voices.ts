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
  const cluster = Int32Array.from(voices, (_, i) => i);
  const members = voices.map((_, i) => [i]);
  const joined = [...voices];
  /** For each voice the clusters that none of its cluster can be in. */
  const strangers = apart.map(others => new Set(others));
  const open = new Set(voices.flatMap(({ sec }, i) => (sec >= leastSec ? [i] : [])));
  const likelihood = (a: number, b: number) => voiceRatio(joined[a]!, joined[b]!);
  const canJoin = (a: number, b: number) => !strangers[a]!.has(b);
  /** For each open voice the likeliest other one; where that one has changed since, a ratio that no other one exceeds. */
  const best = new Map<number, { readonly other?: number; readonly ratio: number }>();
  const findBest = (a: number) => {
    best.delete(a);
    for (const b of open) {
      if (b === a) continue;
      const ratio = likelihood(a, b);
      if (ratio > (best.get(a)?.ratio ?? sameFrom) && canJoin(a, b)) best.set(a, { other: b, ratio });
    }
  };
  for (const a of open) findBest(a);
  for (;;) {
    let [one, top] = [-1, sameFrom];
    for (const [from, { ratio }] of best) if (ratio > top) [one, top] = [from, ratio];
    if (one < 0) break;
    const { other } = best.get(one)!;
    if (other === undefined) {
      findBest(one);
      continue;
    }
    const [a, b] = [Math.min(one, other), Math.max(one, other)];
    open.delete(b);
    best.delete(b);
    members[a]!.push(...members[b]!);
    const [voice, added] = [joined[a]!, joined[b]!];
    joined[a] = voiceOf(
      voice.sum.map((value, i) => value + added.sum[i]!),
      voice.sec + added.sec,
    );
    for (const stranger of strangers[b]!) {
      strangers[a]!.add(stranger);
      strangers[stranger]!.delete(b);
      strangers[stranger]!.add(a);
    }
    findBest(a);
    for (const from of open) {
      if (from === a) continue;
      const before = best.get(from);
      const ratio = likelihood(from, a);
      if (ratio > (before?.ratio ?? sameFrom) && canJoin(from, a)) best.set(from, { other: a, ratio });
      // The likeliest fits less since it was joined. Which other one is likelier is looked for when it matters.
      else if (before && (before.other === a || before.other === b)) best.set(from, { ratio: before.ratio });
    }
  }
  for (const a of open) for (const i of members[a]!) cluster[i] = Math.min(...members[a]!);
  return cluster;
}

/** Log-likelihood ratio of two voices being one; 0, which says nothing, where one of them is not known. */
export function voiceRatio(a: Voice, b: Voice): number {
  if (a.sec < leastSec || b.sec < leastSec) return 0;
  let cosine = 0;
  for (let i = 0; i < a.unit.length; i++) cosine += a.unit[i]! * b.unit[i]!;
  return voiceLikelihood(cosine, a.sec, b.sec);
}
