import { expect, test } from 'vitest';
import { voiceSize } from '../../../src/core/speaker-evidence.js';
import type { VoiceEmbedder } from '../../../src/inference/voice-embedder.js';
import { createVoiceprints, type VoiceprintsState } from '../../../src/inference/voiceprints.js';

/** Says where a piece begins, and how long it is. */
const embedder = (asked: number[]): VoiceEmbedder => ({
  name: 'fake',
  size: voiceSize,
  async embed(samples) {
    asked.push(samples.length);
    return Float32Array.from({ length: voiceSize }, (_, i) => (i ? samples.length / 24_000 : samples[0]!));
  },
  close: async () => {},
});
const chunk = 512;
const sound = (seconds: number) => Float32Array.from({ length: 16_000 * seconds }, (_, i) => i / 16_000 / 10);
/** Speech from `from` to `to` seconds. */
const speech = (seconds: number, from = 0, to = seconds) =>
  Float32Array.from({ length: Math.floor((16_000 * seconds) / chunk) }, (_, i) =>
    (i * chunk) / 16_000 >= from && (i * chunk) / 16_000 < to ? 0.9 : 0,
  );
const row = (voices: Int8Array, piece: number) => [
  ...voices.subarray(piece * voiceSize, piece * voiceSize + 2),
];

async function hear(
  seconds: number,
  spoken: Float32Array,
  block: number,
  killAt = Infinity,
): Promise<Int8Array> {
  const samples = sound(seconds);
  let prints = createVoiceprints(embedder([]));
  let chunks = 0;
  for (let at = 0; at < samples.length; at += block) {
    const done = Math.floor(Math.min(samples.length, at + block) / chunk);
    await prints.push(samples.subarray(at, at + block), spoken.subarray(chunks, done));
    chunks = done;
    if (at <= killAt && at + block > killAt)
      prints = createVoiceprints(embedder([]), structuredClone(prints.save()) as VoiceprintsState);
  }
  return prints.finish();
}

test('each 0.75 s begins a piece of 1.5 s, the last is what is left', async () => {
  const voices = await hear(4, speech(4), 1600);
  expect(voices.length / voiceSize).toBe(5);
  // 127 × (a tenth of the seconds at which the piece begins, length over 1.5 s).
  expect([0, 1, 3, 4].map(piece => row(voices, piece))).toEqual([
    [0, 127],
    [10, 127],
    [29, 127],
    [38, 85],
  ]);
});

test('pieces without speech are not looked at, and are zeros', async () => {
  const asked: number[] = [];
  const prints = createVoiceprints(embedder(asked));
  await prints.push(sound(6), speech(6, 3, 6));
  const voices = await prints.finish();
  expect(row(voices, 0)).toEqual([0, 0]);
  expect(row(voices, 5)[1]).toBe(127);
  expect(asked.length).toBeLessThan(6);
});

test('how the sound arrives changes nothing, nor does going on from a saved state', async () => {
  const whole = await hear(7, speech(7, 1, 5), 16_000 * 7);
  expect(await hear(7, speech(7, 1, 5), 777)).toEqual(whole);
  expect(await hear(7, speech(7, 1, 5), 1733, 50_000)).toEqual(whole);
});

test('a sound shorter than a step has no piece', async () => {
  expect(await hear(0.5, speech(0.5), 800)).toHaveLength(0);
});
