import { groupCuts } from '../../harness/measure-geometry.js';

/** Boundaries of one clip, true and found. */
export type JudgedClip = {
  readonly name: string;
  readonly kind: string;
  readonly durationSec: number;
  /** First frames of new shots; neighbours are one cut. */
  readonly cuts: readonly number[];
  /** Gradual transitions, [first, last] frame: one boundary in each is right. */
  readonly transitions: readonly (readonly [number, number])[];
  /** Stretches, [first, last] frame, in which boundaries are neither right nor wrong. */
  readonly unjudged: readonly (readonly [number, number])[];
  readonly found: readonly number[];
};

export type CutCounts = {
  readonly hits: number;
  readonly missed: number;
  readonly wrong: number;
  readonly transitions: number;
  /** Transitions with a boundary in them. */
  readonly foundTransitions: number;
};

/**
 * Counts one clip's boundaries: each cut takes the nearest free boundary within `tolerance` frames, then each
 * transition one that lies in it; whatever is left is wrong.
 */
export function countCuts({ cuts, transitions, unjudged, found }: JudgedClip, tolerance: number): CutCounts {
  const free = new Set(found);
  const groups = groupCuts(cuts);
  let hits = 0;
  for (const group of groups) {
    const distance = (frame: number) => Math.min(...group.map(cut => Math.abs(frame - cut)));
    const [nearest] = [...free]
      .filter(frame => distance(frame) <= tolerance)
      .sort((a, b) => distance(a) - distance(b));
    if (nearest === undefined) continue;
    free.delete(nearest);
    hits++;
  }
  let foundTransitions = 0;
  for (const [first, last] of transitions) {
    const inside = [...free].find(frame => first - 1 <= frame && frame <= last + 1);
    if (inside === undefined) continue;
    free.delete(inside);
    foundTransitions++;
  }
  for (const [first, last] of unjudged)
    for (const frame of free) if (first <= frame && frame <= last) free.delete(frame);
  return {
    hits,
    missed: groups.length - hits,
    wrong: free.size,
    transitions: transitions.length,
    foundTransitions,
  };
}
