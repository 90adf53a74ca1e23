import { completePlanRequest, planCrop } from '../../src/index.js';
import { analyse } from '../../test/unit/core/plan/invented-scene.js';
import { medianOf } from '../harness/load.js';

/** Milliseconds to plan a ten-minute result again: 25 Hz, three faces that speak in turn, a cut every minute. */
export function measureReplan(): number {
  const durationSec = 600;
  const turnSec = 4;
  const people = [480, 960, 1440].map((x, p) => ({
    at: (sec: number) => ({ x: x + 12 * Math.sin(sec + p), y: 460 + 6 * Math.cos(1.3 * sec) }),
    speaks: Array.from({ length: durationSec / turnSec }, (_, i) => i)
      .filter(i => i % 3 === p)
      .map(i => [i * turnSec, (i + 1) * turnSec - 0.4] as [number, number]),
  }));
  const cuts = Array.from({ length: 9 }, (_, i) => 60 * (i + 1));
  const parts = analyse({ people, durationSec, cuts });
  const request = completePlanRequest();
  const times: number[] = [];
  for (let round = 0; round < 9; round++) {
    const startMs = performance.now();
    planCrop(parts, request);
    times.push(performance.now() - startMs);
  }
  // The first rounds compile.
  return medianOf(times.slice(4));
}
