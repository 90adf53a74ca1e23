import { expect, test } from 'vitest';
import { createTranscriber, type TranscriberState } from '../../../src/inference/transcriber.js';
import type { SpokenToken, TranscriptionModel } from '../../../src/inference/transcription-model.js';
import { buzz, openTinyTranscription } from '../../fixtures/tiny-transcription.js';

const chunk = 512;
/** Speech wherever the sound is loud. */
const speechOf = (samples: Float32Array) =>
  Float32Array.from({ length: Math.floor(samples.length / chunk) }, (_, i) => (samples[i * chunk] ? 0.9 : 0));

/** Words that do not look alike, as those of a language do not. */
const unlike = (seed: number) => ((seed * 2_654_435_761) % 4_294_967_296).toString(36);

/** Writes one word a second of sound, which depends on how long a piece it got. */
function counting(asked: number[], tokens?: readonly SpokenToken[]): TranscriptionModel {
  return {
    name: 'counting',
    language: 'en',
    longestSec: 10,
    async transcribe(samples, signal) {
      signal?.throwIfAborted();
      asked.push(samples.length);
      if (tokens) return [...tokens];
      return Array.from({ length: Math.ceil(samples.length / 16_000) }, (_, i) => ({
        text: ` ${unlike(1 + i + samples.length)}`,
        startSec: i,
        endSec: Math.min(i + 1, samples.length / 16_000),
        logProbability: -0.1,
      }));
    },
    close: async () => {},
  };
}

const sound = buzz(...Array.from({ length: 100 }, (_, i) => (i % 40 < 30 ? 0.2 + (i % 3) / 10 : 0)));
const spoken = speechOf(sound);

async function hear(block: number, killAt = Number.POSITIVE_INFINITY) {
  let transcriber = createTranscriber(counting([]));
  for (let at = 0, chunks = 0; at < sound.length; at += block) {
    const done = Math.floor(Math.min(sound.length, at + block) / chunk);
    await transcriber.push(sound.subarray(at, at + block), spoken.subarray(chunks, done));
    chunks = done;
    if (at <= killAt && at + block > killAt)
      transcriber = createTranscriber(counting([]), structuredClone(transcriber.save()) as TranscriberState);
  }
  return transcriber.finish();
}

test('how the sound arrives changes nothing, nor does going on from a saved state', async () => {
  const whole = await hear(sound.length);
  expect(whole.length).toBeGreaterThan(20);
  expect(await hear(777)).toEqual(whole);
  expect(await hear(16_000, 300_000)).toEqual(whole);
});

test('pieces are no longer than the model takes, and silence is not shown to it', async () => {
  const asked: number[] = [];
  const transcriber = createTranscriber(counting(asked));
  await transcriber.push(sound, spoken);
  await transcriber.finish();
  expect(Math.max(...asked)).toBeLessThanOrEqual(160_000);
  expect(asked.reduce((sum, length) => sum + length, 0)).toBeLessThan(0.9 * sound.length);
});

test('the state does not grow with the sound', async () => {
  const transcriber = createTranscriber(counting([], []));
  for (let i = 0; i < 20; i++) {
    await transcriber.push(sound, spoken);
    expect(transcriber.save().pending.length).toBeLessThan(10.5 * 16_000);
  }
});

test('words come while the sound goes on', async () => {
  const transcriber = createTranscriber(counting([]));
  await transcriber.push(sound.subarray(0, 15 * 16_000), spoken.subarray(0, (15 * 16_000) / chunk));
  expect(transcriber.soFar().length).toBeGreaterThan(5);
});

test.each([
  ['improbable', ' somebody talks', -2.5],
  ['repetitive', ' thank you'.repeat(20), -0.1],
] as const)('%s text is not believed, and counted', async (why, text, logProbability) => {
  const transcriber = createTranscriber(counting([], [{ text, startSec: 0, endSec: 1, logProbability }]));
  await transcriber.push(sound, spoken);
  expect(await transcriber.finish()).toEqual([]);
  expect(transcriber.disbelieved()[why]).toBeGreaterThan(0);
});

test('it stops when it is told to', async () => {
  const transcriber = createTranscriber(counting([]), undefined, AbortSignal.abort(new Error('stop')));
  await expect(transcriber.push(sound, spoken)).rejects.toThrow('stop');
});

test('with a network: words where they were said, after a silence of two seconds', async () => {
  const model = await openTinyTranscription();
  const samples = buzz(0, 0, 0, 0, 0, 0.25, 0.75, 1, 0, 0, 0, 0, 0, 0);
  const transcriber = createTranscriber(model);
  await transcriber.push(samples, speechOf(samples));
  const words = await transcriber.finish();
  await model.close();
  expect(words[0]!.start).toBeGreaterThan(1.9);
  expect(words.at(-1)!.end).toBeLessThanOrEqual(3.25);
});
