/**
 * Who may have the voice, step by step. State 0 is nobody on screen; each further state is a slot that faces hold one
 * after the other, so that time grows with the faces on screen and not with all that ever were.
 */
export type TurnGrid = {
  readonly states: number;
  /** `[steps, states]`: log-likelihood of each state; −Infinity for an empty slot. Each row has one that is finite. */
  readonly odds: Float64Array;
  /** `[steps, states]`: 1 where another face than before takes the slot. */
  readonly begins: Uint8Array;
  /** Per step: what going from one face to another costs, in natural log units; half of it to and from nobody. */
  readonly changeCost: Float64Array;
};

/**
 * The most likely sequence of states (Viterbi's algorithm).
 *
 * @returns The state at each step.
 */
export function likeliestTurns({ states, odds, begins, changeCost }: TurnGrid): Int32Array {
  const steps = changeCost.length;
  const cameFrom = new Int32Array(odds.length);
  let totals = odds.slice(0, states);
  for (let step = 1; step < steps; step++) {
    const cost = changeCost[step]!;
    // Whoever comes from another face comes from the best one; only that one itself needs the second best.
    let [best, second] = [-1, -1];
    for (let s = 1; s < states; s++) {
      if (best < 0 || totals[s]! > totals[best]!) [best, second] = [s, best];
      else if (second < 0 || totals[s]! > totals[second]!) second = s;
    }
    const next = new Float64Array(states).fill(Number.NEGATIVE_INFINITY);
    for (let s = 0; s < states; s++) {
      const own = odds[step * states + s]!;
      if (own === Number.NEGATIVE_INFINITY) continue;
      const stays = s === 0 || !begins[step * states + s];
      const others: [from: number, total: number][] = s
        ? [
            [0, totals[0]! - cost / 2],
            [s, totals[s]! - (stays ? 0 : cost)],
            ...(best > 0 && best !== s ? [[best, totals[best]! - cost] as [number, number]] : []),
            ...(best === s && second > 0 ? [[second, totals[second]! - cost] as [number, number]] : []),
          ]
        : [[0, totals[0]!], ...(best > 0 ? [[best, totals[best]! - cost / 2] as [number, number]] : [])];
      for (const [from, total] of others) {
        if (total + own <= next[s]!) continue;
        next[s] = total + own;
        cameFrom[step * states + s] = from;
      }
    }
    totals = next;
  }
  const path = new Int32Array(steps);
  let state = totals.indexOf(Math.max(...totals));
  for (let step = steps - 1; step >= 0; step--) {
    path[step] = state;
    state = cameFrom[step * states + state]!;
  }
  return path;
}

/**
 * How likely each state is at each step, all sequences considered (the forward–backward algorithm).
 *
 * @returns `[steps, states]`; rows sum to 1.
 */
export function turnProbabilities(grid: TurnGrid): Float64Array {
  const { states, odds, changeCost } = grid;
  const steps = changeCost.length;
  const forward = new Float64Array(odds.length);
  const row = new Float64Array(states);
  const weights = likelihoods(odds, states);
  row.fill(1);
  for (let step = 0; step < steps; step++) {
    if (step) moveOn(row, grid, step);
    for (let s = 0; s < states; s++) row[s]! *= weights[step * states + s]!;
    normalise(row);
    forward.set(row, step * states);
  }
  row.fill(1);
  for (let step = steps - 1; step >= 0; step--) {
    const at = step * states;
    const here = forward.subarray(at, at + states);
    for (let s = 0; s < states; s++) here[s]! *= row[s]!;
    normalise(here);
    for (let s = 0; s < states; s++) row[s]! *= weights[at + s]!;
    if (step) moveOn(row, grid, step);
    normalise(row);
  }
  return forward;
}

/** Spreads likelihood over a step's changes, which cost the same in both directions. */
function moveOn(row: Float64Array, { states, begins, changeCost }: TurnGrid, step: number): void {
  const change = Math.exp(-changeCost[step]!);
  const half = Math.sqrt(change);
  const nobody = row[0]!;
  let faces = 0;
  for (let s = 1; s < states; s++) faces += row[s]!;
  row[0] = nobody + half * faces;
  for (let s = 1; s < states; s++) {
    const own = begins[step * states + s] ? change : 1;
    row[s] = half * nobody + change * (faces - row[s]!) + own * row[s]!;
  }
}

/** Exponentials, each row relative to its largest, so that none overflows. */
function likelihoods(odds: Float64Array, states: number): Float64Array {
  const out = new Float64Array(odds.length);
  for (let at = 0; at < odds.length; at += states) {
    let top = Number.NEGATIVE_INFINITY;
    for (let s = 0; s < states; s++) top = Math.max(top, odds[at + s]!);
    for (let s = 0; s < states; s++) out[at + s] = Math.exp(odds[at + s]! - top);
  }
  return out;
}

function normalise(row: Float64Array): void {
  let sum = 0;
  for (const value of row) sum += value;
  for (let s = 0; s < row.length; s++) row[s]! /= sum;
}
