import type { TimeRange } from '../../src/index.js';

/** Somebody's stretch. */
export type Spoken = TimeRange & { readonly id: string };

export type DiarizationError = {
  /** Seconds of speech by all speakers, outside of collars. */
  readonly spokenSec: number;
  readonly missedSec: number;
  readonly falseSec: number;
  /** Seconds that the wrong one was given. */
  readonly confusedSec: number;
};

/** Not judged about the ends of true turns, seconds to each side: the usual collar. */
const collarSec = 0.25;
const stepSec = 0.01;

/**
 * Diarization error as NIST defines it, in steps of 10 ms: for the best one-to-one naming of speakers what is missed,
 * invented and given to others. Divided by `spokenSec` that is the rate.
 *
 * @param unjudged - Stretches that are left out beside the collars.
 */
export function diarizationError(
  truth: readonly Spoken[],
  found: readonly Spoken[],
  unjudged: readonly TimeRange[],
): DiarizationError {
  const endSec = Math.max(0, ...[...truth, ...found].map(one => one.endSec));
  const steps = Math.ceil(endSec / stepSec);
  const judged = new Uint8Array(steps).fill(1);
  const range = ({ startSec, endSec: toSec }: TimeRange) => [
    Math.max(0, Math.round(startSec / stepSec)),
    Math.min(steps, Math.round(toSec / stepSec)),
  ];
  for (const { startSec, endSec: toSec } of truth)
    for (const atSec of [startSec, toSec])
      judged.fill(0, ...range({ startSec: atSec - collarSec, endSec: atSec + collarSec }));
  for (const stretch of unjudged) judged.fill(0, ...range(stretch));
  const paint = (spoken: readonly Spoken[]) => {
    const rows = new Map<string, Uint8Array>();
    for (const one of spoken) {
      const row = rows.get(one.id) ?? new Uint8Array(steps);
      rows.set(one.id, row.fill(1, ...range(one)));
    }
    return [...rows.values()];
  };
  const [theirs, ours] = [paint(truth), paint(found)];
  const shared = theirs.map(a => ours.map(b => a.reduce((sum, on, i) => sum + (on & b[i]! & judged[i]!), 0)));
  let [spoken, missed, invented, together] = [0, 0, 0, 0];
  for (let i = 0; i < steps; i++) {
    if (!judged[i]) continue;
    const [a, b] = [theirs, ours].map(rows => rows.reduce((sum, row) => sum + row[i]!, 0)) as [
      number,
      number,
    ];
    spoken += a;
    missed += Math.max(0, a - b);
    invented += Math.max(0, b - a);
    together += Math.min(a, b);
  }
  return {
    spokenSec: spoken * stepSec,
    missedSec: missed * stepSec,
    falseSec: invented * stepSec,
    confusedSec: (together - bestNaming(shared)) * stepSec,
  };
}

/** The most that speakers and names can share, each name given once; there are few speakers. */
function bestNaming(shared: readonly (readonly number[])[], row = 0, taken = new Set<number>()): number {
  if (row === shared.length) return 0;
  let best = bestNaming(shared, row + 1, taken);
  shared[row]!.forEach((value, name) => {
    if (!value || taken.has(name)) return;
    best = Math.max(best, value + bestNaming(shared, row + 1, new Set([...taken, name])));
  });
  return best;
}
