import { expect, test } from 'vitest';
import {
  averageRateHz,
  createFrameIndex,
  frameDurationSec,
  frameTimeSec,
  ranksIn,
} from '../../../../src/media/containers/frame-index.js';

test('ranks follow presentation order, whatever the order of decoding', () => {
  const index = createFrameIndex([0, 120_000, 40_000, 80_000], 40_000);
  expect([...index.timesUs]).toEqual([0, 40_000, 80_000, 120_000]);
  expect(averageRateHz(index)).toBe(25);
});

test('the clock is the file’s own, or begins where the caller says', () => {
  const late = [10_500_000, 10_540_000];
  expect(frameTimeSec(createFrameIndex(late, 40_000), 0)).toBe(10.5);
  expect(
    frameTimeSec(
      createFrameIndex(late, 40_000, first => Math.min(first, 10_000_000)),
      0,
    ),
  ).toBe(0.5);
});

test('behind the last frame is where that one ends', () => {
  const index = createFrameIndex([0, 40_000], 60_000);
  expect([1, 2, 9].map(rank => frameTimeSec(index, rank))).toEqual([0.04, 0.1, 0.1]);
});

test('a range holds the frames from its start to before its end, also when both are frame times', () => {
  const index = createFrameIndex(
    Array.from({ length: 10 }, (_, i) => Math.round((i * 1e6) / 29.97)),
    0,
  );
  expect(ranksIn(index, {})).toEqual([0, 10]);
  expect(ranksIn(index, { startSec: frameTimeSec(index, 3), endSec: frameTimeSec(index, 7) })).toEqual([
    3, 7,
  ]);
  expect(ranksIn(index, { startSec: 0.05, endSec: 0.06 })).toEqual([2, 2]);
  expect(ranksIn(index, { startSec: 99 })).toEqual([10, 10]);
});

test('equal times keep a rank each', () => {
  const index = createFrameIndex([0, 40_000, 40_000, 80_000], 40_000);
  expect([...index.timesUs.keys()].map(rank => frameTimeSec(index, rank))).toEqual([0, 0.04, 0.04, 0.08]);
  expect(frameDurationSec(index, 1)).toBe(0);
});

test('a last frame of unknown duration lasts as long as frames usually do', () => {
  expect(frameDurationSec(createFrameIndex([0, 40_000, 80_000, 500_000], 0), 3)).toBe(0.04);
  expect(frameDurationSec(createFrameIndex([0], 0), 0)).toBeCloseTo(1 / 30, 5);
});
