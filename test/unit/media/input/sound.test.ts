import { expect, test } from 'vitest';
import {
  continuousSound,
  type Sound,
  type SoundBlock,
  speechAudio,
} from '../../../../src/media/input/sound.js';

/** A sound of given blocks at 1000 Hz, one channel each, all samples equal to the level. */
const soundOf = (
  ...blocks: readonly (readonly [timeSec: number, length: number, level: number])[]
): Sound => ({
  codec: 'test',
  sampleRateHz: 1000,
  channels: 1,
  async *blocks() {
    for (const [timeSec, length, level] of blocks)
      yield {
        timeSec,
        sampleRateHz: 1000,
        channels: [new Float32Array(length).fill(level)],
      } satisfies SoundBlock;
  },
});

async function levels(sound: Sound, range = {}): Promise<number[]> {
  const all: number[] = [];
  for await (const { channels } of continuousSound(sound, range)) all.push(...channels[0]!);
  return all;
}
const run = (length: number, level: number): number[] => Array<number>(length).fill(level);

test('silence fills the time before sound that starts late, and gaps', async () => {
  expect(await levels(soundOf([0.11, 100, 1], [0.31, 100, 2]))).toEqual([
    ...run(110, 0),
    ...run(100, 1),
    ...run(100, 0),
    ...run(100, 2),
  ]);
});

test('priming before the start and overlaps are cut', async () => {
  expect(await levels(soundOf([-0.02, 100, 1], [0.05, 100, 2]))).toEqual([...run(80, 1), ...run(70, 2)]);
});

test('timestamps that are rounded are not gaps', async () => {
  expect(await levels(soundOf([0, 100, 1], [0.103, 100, 2], [0.197, 100, 3]))).toEqual([
    ...run(100, 1),
    ...run(100, 2),
    ...run(100, 3),
  ]);
});

test('a range is cut to the sample', async () => {
  expect(await levels(soundOf([0, 100, 1], [0.1, 100, 2]), { startSec: 0.05, endSec: 0.15 })).toEqual([
    ...run(50, 1),
    ...run(50, 2),
  ]);
});

test('speech sound is the mean of the channels, from the start of the range', async () => {
  const stereo: Sound = {
    ...soundOf(),
    channels: 2,
    async *blocks() {
      yield {
        timeSec: 0,
        sampleRateHz: 16_000,
        channels: [new Float32Array(16_000).fill(0.5), new Float32Array(16_000).fill(-0.1)],
      };
    },
  };
  let length = 0;
  for await (const { timeSec, samples } of speechAudio(stereo, { startSec: 0.25, endSec: 0.75 })) {
    expect(timeSec).toBeCloseTo(0.25 + length / 16_000, 9);
    for (const x of samples) expect(x).toBeCloseTo(0.2, 6);
    length += samples.length;
  }
  expect(length).toBe(8000);
});
