import { expect, test } from 'vitest';
import { createPartialPacer } from '../../../../src/pipeline/analysis/partial-pace.js';

/** Asks every 100 ms of an invented clock, and tells when the work was done. */
async function ask(times: number, costMs: number, pauseMs = 0): Promise<number[]> {
  let now = 0;
  const done: number[] = [];
  const pacer = createPartialPacer(
    {
      async make() {
        done.push(now);
        now += costMs;
      },
      async give() {
        now += pauseMs;
      },
    },
    { intervalMs: 1000, shareRatio: 0.05 },
    () => now,
  );
  for (let i = 0; i < times; i++) {
    await pacer();
    now += 100;
  }
  return done;
}

test('the first comes at once, the others once a second', async () => {
  expect(await ask(25, 0)).toEqual([0, 1000, 2000]);
});

test('work that takes long is done seldom: a twentieth of the time at most', async () => {
  const done = await ask(100, 100);
  expect(done.slice(1).map((at, i) => at - done[i]!)).toEqual(done.slice(1).map(() => 2100));
});

test('who takes it may wait without making the next one later', async () => {
  expect((await ask(3, 0, 5000)).slice(0, 2)).toEqual([0, 5100]);
});
