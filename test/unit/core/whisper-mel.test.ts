import { expect, test } from 'vitest';
import { whisperMel, whisperRows } from '../../../src/core/whisper-mel.js';
import golden from '../../golden/whisper_mel_golden.json' with { type: 'json' };

/** What the golden numbers were made of with numpy: a chirp with noise of a linear congruence. */
function chirp(): Float32Array {
  let state = 12_345n;
  return Float32Array.from({ length: 24_000 }, (_, i) => {
    state = (state * 1_103_515_245n + 12_345n) % 2_147_483_648n;
    const sec = i / 16_000;
    const noise = Number(state) / 1_073_741_824 - 1;
    return 0.5 * Math.sin(2 * Math.PI * (200 * sec + 1500 * sec * sec)) + 0.05 * noise;
  });
}

test.for(['80', '128'] as const)('%s bands are those of numpy', bands => {
  const mel = whisperMel(chirp(), Number(bands));
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
