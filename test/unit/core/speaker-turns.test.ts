import { describe, expect, test } from 'vitest';
import { mulberry32 } from '../../../bench/harness/random.js';
import { likeliestTurns, type TurnGrid, turnProbabilities } from '../../../src/core/speaker-turns.js';

const gone = Number.NEGATIVE_INFINITY;
const grid = (
  rows: readonly (readonly number[])[],
  cost: number,
  begins: readonly number[] = [],
): TurnGrid => ({
  states: rows[0]!.length,
  odds: Float64Array.from(rows.flat()),
  begins: Uint8Array.from(rows.flat(), (_, at) => (begins.includes(at) ? 1 : 0)),
  changeCost: new Float64Array(rows.length).fill(cost),
});

/** All sequences with their log-likelihoods, by trying each of them. */
function allSequences({ states, odds, begins, changeCost }: TurnGrid): { path: number[]; total: number }[] {
  let found = Array.from({ length: states }, (_, s) => ({ path: [s], total: odds[s]! }));
  for (let step = 1; step < changeCost.length; step++)
    found = found.flatMap(({ path, total }) =>
      Array.from({ length: states }, (_, to) => {
        const from = path.at(-1)!;
        const changes = from !== to || (to > 0 && begins[step * states + to] === 1);
        const cost = changes ? changeCost[step]! * (from && to ? 1 : 0.5) : 0;
        return { path: [...path, to], total: total - cost + odds[step * states + to]! };
      }),
    );
  return found.filter(({ total }) => total > gone);
}

function drawn(seed: number): TurnGrid {
  const random = mulberry32(seed);
  const states = 2 + Math.floor(random() * 3);
  const rows = Array.from({ length: 6 }, () =>
    Array.from({ length: states }, (_, s) => (s && random() < 0.2 ? gone : 4 * random() - 2)),
  );
  const begins = Array.from({ length: 6 * states }, (_, at) => at).filter(
    at => at % states > 0 && random() < 0.15,
  );
  return {
    ...grid(rows, 1, begins),
    changeCost: Float64Array.from({ length: 6 }, () => 3 * random()),
  };
}

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('grid %i', seed => {
  const turns = drawn(seed);
  const sequences = allSequences(turns);

  test('the likeliest turns are those that trying all sequences finds', () => {
    const best = sequences.reduce((a, b) => (b.total > a.total ? b : a));
    expect([...likeliestTurns(turns)]).toEqual(best.path);
  });

  test('probabilities are those that adding up all sequences gives', () => {
    const expected = new Float64Array(turns.odds.length);
    let all = 0;
    for (const { path, total } of sequences) {
      all += Math.exp(total);
      path.forEach((state, step) => {
        expected[step * turns.states + state]! += Math.exp(total);
      });
    }
    turnProbabilities(turns).forEach((value, at) => {
      expect(value).toBeCloseTo(expected[at]! / all, 9);
    });
  });
});

test('an hour of sure evidence neither overflows nor fades', () => {
  const rows = Array.from({ length: 90_000 }, (_, i) => [
    -800,
    i % 5000 < 2500 ? 0 : -900,
    i % 5000 < 2500 ? -900 : 0,
  ]);
  const turns = grid(rows, 3);
  const probabilities = turnProbabilities(turns);
  const path = likeliestTurns(turns);
  for (const frame of [0, 2499, 2500, 89_999]) {
    expect(path[frame]).toBe(frame % 5000 < 2500 ? 1 : 2);
    expect(probabilities[frame * 3 + path[frame]!]).toBeCloseTo(1, 6);
  }
});
