import { expect, test } from 'vitest';
import { commonRanges, createClipClock } from '../../../src/core/clip-clock.js';
import { keptStretches } from '../../../src/core/kept-stretches.js';

const range = (startSec: number, endSec: number) => ({ startSec, endSec });
const ranges = [range(1, 2.5), range(4, 4.4), range(9, 10)];

test('a clip’s clock goes on where the source leaves out', () => {
  const { durationSec, toClip } = createClipClock(ranges);
  expect(durationSec).toBeCloseTo(2.9, 9);
  for (const [source, clip] of [
    ...[
      [0, 0],
      [1, 0],
      [2, 1],
      [2.5, 1.5],
      [3, 1.5],
      [4, 1.5],
    ],
    ...[
      [4.2, 1.7],
      [8, 1.9],
      [9.5, 2.4],
      [10, 2.9],
      [99, 2.9],
    ],
  ] as [number, number][])
    expect(toClip(source)).toBeCloseTo(clip, 9);
});

test('a time of the clip is found again in the source, at a join on the side that is asked for', () => {
  const { toClip, toSource, durationSec } = createClipClock(ranges);
  for (const sec of [1.2, 2.4, 4.1, 9.3]) {
    expect(toSource(toClip(sec), 'start')).toBeCloseTo(sec, 9);
    expect(toSource(toClip(sec), 'end')).toBeCloseTo(sec, 9);
  }
  expect([toSource(1.5, 'start'), toSource(1.5, 'end')]).toEqual([4, 2.5]);
  expect(toSource(toClip(9), 'end')).toBeCloseTo(4.4, 9);
  expect(toSource(toClip(9), 'start')).toBe(9);
  expect([toSource(-1, 'start'), toSource(durationSec + 1, 'end')]).toEqual([1, 10]);
});

test('what two lists have in common', () => {
  expect(commonRanges([range(0, 3), range(5, 9)], [range(2, 6), range(7, 8), range(8.5, 20)])).toEqual([
    ...[range(2, 3), range(5, 6), range(7, 8), range(8.5, 9)],
  ]);
  expect(commonRanges([range(0, 1)], [range(1, 2)])).toEqual([]);
});

const at25 = { first: 10, count: 100, startSec: 0.4, timeSec: (frame: number) => frame / 25 };

test('ranges end between frames, and touch or fall out as their frames do', () => {
  const kept = keptStretches([range(0, 0.505), range(0.51, 0.99), range(1.43, 1.47), range(2.01, 99)], at25);
  expect(kept).toEqual([
    { ...range(0.4, 1), firstFrame: 10, lastFrame: 24 },
    { ...range(1.44, 1.48), firstFrame: 36, lastFrame: 36 },
    { ...range(2, 4.4), firstFrame: 50, lastFrame: 109 },
  ]);
  expect(keptStretches([range(1.005, 1.015), range(5, 6)], at25)).toEqual([]);
  expect(keptStretches(undefined, at25)).toEqual([{ ...range(0.4, 4.4), firstFrame: 10, lastFrame: 109 }]);
});

test('a picture that stands for seconds is cut where it was asked for', () => {
  const slides = { first: 0, count: 3, startSec: 0, timeSec: (frame: number) => 5 * frame };
  expect(keptStretches([range(1, 2), range(4.98, 7)], slides)).toEqual([
    { ...range(1, 2), firstFrame: 0, lastFrame: 0 },
    { ...range(5, 7), firstFrame: 1, lastFrame: 1 },
  ]);
});
