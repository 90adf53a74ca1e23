import { expect, test } from 'vitest';
import { kaldiFbank } from '../../../src/core/kaldi-fbank.js';
import { spacedVoices } from '../../../src/core/voices.js';
import { openForeignVoiceEmbedder } from '../../../src/inference/foreign-voice-embedder.js';
import { openSession } from '../../../src/inference/session.js';
import { leastVoiceSamples } from '../../../src/inference/voice-embedder.js';
import { createVoiceprints } from '../../../src/inference/voiceprints.js';
import { noisyChirp } from '../../fixtures/noisy-chirp.js';
import { tinyFbankVoice, tinyWaveVoice } from '../../fixtures/tiny-voice.js';
import { tinyEncoder } from '../../fixtures/tiny-words.js';

const open = async (bytes: Uint8Array) =>
  openForeignVoiceEmbedder(await openSession(bytes, 'tiny', { device: 'wasm', threads: 1 }), 'tiny');
const unit = (values: readonly number[]) => {
  const length = Math.hypot(...values);
  return values.map(value => value / length);
};

test('a network of filter banks gets them, and gives vectors of length one', async () => {
  const voice = await open(tinyFbankVoice());
  const sound = noisyChirp();
  const rows = kaldiFbank(sound);
  const greatest = Array.from({ length: 80 }, (_, band) => {
    let most = Number.NEGATIVE_INFINITY;
    for (let at = band; at < rows.length; at += 80) most = Math.max(most, rows[at]!);
    return most;
  });
  const embedding = await voice.embed(sound);
  await voice.close();
  expect([voice.name, voice.size]).toEqual(['tiny', 80]);
  unit(greatest).forEach((value, i) => {
    expect(embedding[i]!).toBeCloseTo(value, 5);
  });
});

test('a network of sound gets the sound', async () => {
  const voice = await open(tinyWaveVoice());
  const sound = Float32Array.from({ length: 8000 }, (_, i) => (i % 16) / 16);
  const embedding = await voice.embed(sound);
  expect(voice.size).toBe(16);
  unit(Array.from({ length: 16 }, (_, i) => i)).forEach((value, i) => {
    expect(embedding[i]!).toBeCloseTo(value, 5);
  });
  // Nothing to tell a voice by is no direction.
  expect(new Set(await voice.embed(new Float32Array(8000)))).toEqual(new Set([0]));
  await expect(voice.embed(new Float32Array(leastVoiceSamples - 1))).rejects.toThrow(RangeError);
  await voice.close();
});

test('pieces have rows of its size', async () => {
  const voice = await open(tinyWaveVoice());
  const prints = createVoiceprints(voice);
  const sound = Float32Array.from({ length: 48_000 }, (_, i) => (i % 16) / 16);
  await prints.push(sound, new Float32Array(93).fill(1));
  const voices = await prints.finish();
  await voice.close();
  const pieces = spacedVoices({ voices, voiceSize: prints.size });
  expect(pieces.length).toBeGreaterThanOrEqual(3);
  for (const piece of pieces) expect([...piece.voice]).toEqual([...pieces[0]!.voice]);
  expect(pieces[0]!.voice).toHaveLength(16);
});

test('a network of another form is refused', async () => {
  await expect(open(tinyEncoder())).rejects.toMatchObject({ code: 'model_corrupt' });
});
