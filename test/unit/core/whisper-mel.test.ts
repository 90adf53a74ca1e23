import { expect, test } from 'vitest';
import { whisperMel, whisperRows } from '../../../src/core/whisper-mel.js';
import { noisyChirp } from '../../fixtures/noisy-chirp.js';
import golden from '../../golden/whisper_mel_golden.json' with { type: 'json' };

test.for(['80', '128'] as const)('%s bands are those of numpy', bands => {
  const mel = whisperMel(noisyChirp(), Number(bands));
  expect(mel).toHaveLength(Number(bands) * whisperRows);
  for (const [band, row, value] of golden[bands].values as [number, number, number][])
    expect(Math.abs(mel[band * whisperRows + row]! - value), `${band} ${row}`).toBeLessThan(1e-4);
  const mean = mel.reduce((sum, value) => sum + value, 0) / mel.length;
  expect(Math.abs(mean - golden[bands].mean)).toBeLessThan(1e-4);
});

test('silence, and sound of the whole 30 s, have finite numbers', () => {
  expect(new Set(whisperMel(new Float32Array(0), 80))).toEqual(new Set([-1.5]));
  const full = whisperMel(new Float32Array(480_000).fill(0.1), 80);
  expect(full.every(Number.isFinite)).toBe(true);
  expect(full[whisperRows - 1]).toBeGreaterThan(-1.5);
});
