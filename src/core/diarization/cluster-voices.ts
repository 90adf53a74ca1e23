import { cosine } from '../enrol-voices.js';
import { voiceLikelihood } from '../voice-likelihood.js';

/** How something that speaks sounds: the sum of the voices of its pieces, and how many seconds went into it. */
export type Voice = { readonly sum: Float64Array; readonly sec: number };

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
 * @param mayJoin - Whether two of them, by index, can be one at all; not asked about voices that were joined to others.
 * @returns For each voice the number of its cluster: the index of the cluster's first voice.
 */
export function clusterVoices(
  voices: readonly Voice[],
  mayJoin: (a: number, b: number) => boolean,
  { sameFrom }: ClusterOptions = defaultClusterOptions,
): Int32Array {
  const cluster = Int32Array.from(voices, (_, i) => i);
  const members = voices.map((_, i) => [i]);
  const joined = voices.map(({ sum, sec }) => ({ sum: sum.slice(), sec }));
  const open = new Set(voices.flatMap(({ sec }, i) => (sec >= leastSec ? [i] : [])));
  const likelihood = (a: number, b: number) => voiceRatio(joined[a]!, joined[b]!);
  const canJoin = (a: number, b: number) => members[a]!.every(i => members[b]!.every(j => mayJoin(i, j)));
  /** For each open voice the likeliest other one after it. */
  const best = new Map<number, { readonly other: number; readonly ratio: number }>();
  const findBest = (a: number) => {
    best.delete(a);
    for (const b of open) {
      if (b <= a) continue;
      const ratio = likelihood(a, b);
      if (ratio > (best.get(a)?.ratio ?? sameFrom) && canJoin(a, b)) best.set(a, { other: b, ratio });
    }
  };
  for (const a of open) findBest(a);
  for (;;) {
    let [a, top] = [-1, sameFrom];
    for (const [from, { ratio }] of best) if (ratio > top) [a, top] = [from, ratio];
    if (a < 0) break;
    const b = best.get(a)!.other;
    open.delete(b);
    best.delete(b);
    members[a]!.push(...members[b]!);
    for (let i = 0; i < joined[a]!.sum.length; i++) joined[a]!.sum[i]! += joined[b]!.sum[i]!;
    joined[a]!.sec += joined[b]!.sec;
    for (const from of open) {
      const other = best.get(from)?.other;
      if (from === a || other === a || other === b) findBest(from);
      else if (from < a) {
        const ratio = likelihood(from, a);
        if (ratio > (best.get(from)?.ratio ?? sameFrom) && canJoin(from, a))
          best.set(from, { other: a, ratio });
      }
    }
  }
  for (const a of open) for (const i of members[a]!) cluster[i] = Math.min(...members[a]!);
  return cluster;
}

/** Log-likelihood ratio of two voices being one; 0, which says nothing, where one of them is not known. */
export const voiceRatio = (a: Voice, b: Voice): number =>
  a.sec < leastSec || b.sec < leastSec ? 0 : voiceLikelihood(cosine(a.sum, b.sum), a.sec, b.sec);
