import { expect, test } from 'vitest';
import type { TranscriptionModel } from '../../src/inference/transcription-model.js';

/** Sound, and what a model should hear in it. */
export type Heard = { readonly samples: Float32Array; readonly text: string };

/** What every {@link TranscriptionModel} promises, whatever its family. */
export function describeTranscription(
  open: () => Promise<TranscriptionModel>,
  { samples, text }: Heard,
): void {
  const lengthSec = samples.length / 16_000;
  const withModel = async <Value>(use: (model: TranscriptionModel) => Promise<Value>): Promise<Value> => {
    const model = await open();
    try {
      return await use(model);
    } finally {
      await model.close();
    }
  };

  test('it writes what is said, a space where a word begins', () =>
    withModel(async model => {
      const tokens = await model.transcribe(samples);
      expect(tokens.map(token => token.text).join('')).toBe(text);
    }));

  test('times rise and lie within the sound; probabilities are such', () =>
    withModel(async model => {
      let lastSec = 0;
      for (const { startSec, endSec, logProbability } of await model.transcribe(samples)) {
        expect(startSec).toBeGreaterThanOrEqual(lastSec);
        expect(endSec).toBeGreaterThan(startSec);
        expect(endSec).toBeLessThanOrEqual(lengthSec + 1e-6);
        expect(logProbability).toBeLessThanOrEqual(0);
        lastSec = startSec;
      }
    }));

  test('the same sound gives the same tokens, whatever came before', () =>
    withModel(async model => {
      const first = await model.transcribe(samples);
      await model.transcribe(samples.subarray(0, samples.length >> 1));
      expect(await model.transcribe(samples)).toEqual(first);
    }));

  test('longer sound than it takes is refused', () =>
    withModel(async model => {
      const long = new Float32Array(Math.ceil(16_000 * model.longestSec) + 1);
      await expect(model.transcribe(long)).rejects.toThrow(RangeError);
    }));

  test('it stops when it is told to', () =>
    withModel(async model => {
      await expect(model.transcribe(samples, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
    }));
}
