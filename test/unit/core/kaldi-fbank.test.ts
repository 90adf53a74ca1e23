import { expect, test } from 'vitest';
import { fbankSize, kaldiFbank } from '../../../src/core/kaldi-fbank.js';
import { noisyChirp } from '../../fixtures/noisy-chirp.js';
import golden from '../../golden/kaldi_fbank_golden.json' with { type: 'json' };

test('rows are those of numpy', () => {
  const rows = kaldiFbank(noisyChirp());
  expect(rows.length / fbankSize).toBe(golden.rows);
  for (const [row, band, value] of golden.values as [number, number, number][])
    expect(Math.abs(rows[row * fbankSize + band]! - value), `${row} ${band}`).toBeLessThan(1e-3);
});

test('silence has finite rows', () => {
  expect(kaldiFbank(new Float32Array(1600)).every(Number.isFinite)).toBe(true);
  expect(kaldiFbank(new Float32Array(399))).toHaveLength(0);
});
