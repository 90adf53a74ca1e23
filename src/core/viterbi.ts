/**
 * The most rewarding path through states over time (Viterbi's algorithm).
 *
 * @param rewards - `[steps, states]`, row by row; −Infinity where a state is impossible. Each row needs one possible state.
 * @param cost - What it costs to go from one state to another, ≥ 0; staying is asked for too.
 * @returns The state at each step.
 */
export function bestPath(
  rewards: Float64Array,
  states: number,
  cost: (from: number, to: number, step: number) => number,
): Int32Array {
  const steps = rewards.length / states;
  const cameFrom = new Int32Array(rewards.length);
  let totals = rewards.slice(0, states);
  for (let step = 1; step < steps; step++) {
    const next = new Float64Array(states).fill(-Infinity);
    for (let to = 0; to < states; to++) {
      const reward = rewards[step * states + to]!;
      if (reward === -Infinity) continue;
      for (let from = 0; from < states; from++) {
        const total = totals[from]! + reward - cost(from, to, step);
        if (total > next[to]!) {
          next[to] = total;
          cameFrom[step * states + to] = from;
        }
      }
    }
    totals = next;
  }
  const path = new Int32Array(steps);
  let state = 0;
  for (let i = 1; i < states; i++) if (totals[i]! > totals[state]!) state = i;
  for (let step = steps - 1; step >= 0; step--) {
    path[step] = state;
    state = cameFrom[step * states + state]!;
  }
  return path;
}
