import { expect, test } from 'vitest';
import { audioFeatures, createFeatureStream, featureSize } from '../../../src/core/audio-features.js';
import golden from '../../golden/mfcc_golden.json' with { type: 'json' };

/** Rounds half to even, as the tool that made the reference did. */
const toEven = (value: number) => {
  const low = Math.floor(value);
  const rest = value - low;
  return rest === 0.5 ? low + (low % 2) : Math.round(value);
};
/** The reference's signal: two tones for 0.75 s, then silence. */
const signal = Float32Array.from({ length: 16_000 }, (_, n) => {
  const wave = 10_000 * Math.sin((2 * Math.PI * 440 * n) / 16_000);
  const second = 3000 * Math.sin((2 * Math.PI * 1234.5 * n) / 16_000);
  return n < 12_000 ? toEven(wave + second) / 32_768 : 0;
});

test('rows are those of python_speech_features to the six decimals that the reference keeps', () => {
  const rows = audioFeatures(signal);
  golden.synthetic.mfcc.forEach((row, i) => {
    row.forEach((value, k) => {
      expect(Math.abs(rows[i * featureSize + k]! - value)).toBeLessThan(1e-6);
    });
  });
});

test('there is a row for every 10 ms, so that the last video frame has its four', () => {
  expect(audioFeatures(new Float32Array(640 * 3)).length).toBe(12 * featureSize);
  expect(audioFeatures(new Float32Array(100)).length).toBe(featureSize);
  expect(audioFeatures(new Float32Array(0)).length).toBe(0);
});

test('however the sound is cut, the rows are the same', () => {
  const stream = createFeatureStream();
  const rows: number[] = [];
  for (let at = 0, size = 1; at < signal.length; at += size, size = (size * 7) % 911) {
    rows.push(...stream.push(signal.subarray(at, at + size)));
  }
  rows.push(...stream.finish());
  expect(rows).toEqual([...audioFeatures(signal)]);
});

test('silence has finite features', () => {
  expect(audioFeatures(new Float32Array(1600)).every(Number.isFinite)).toBe(true);
});

test('a stream goes on from what another one saved', () => {
  const first = createFeatureStream();
  const rows = [...first.push(signal.subarray(0, 4321))];
  const second = createFeatureStream(structuredClone(first.save()));
  rows.push(...second.push(signal.subarray(4321)), ...second.finish());
  expect(rows).toEqual([...audioFeatures(signal)]);
});
