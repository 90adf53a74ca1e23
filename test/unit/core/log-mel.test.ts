import { expect, test } from 'vitest';
import { logMel, logMelSize } from '../../../src/core/log-mel.js';
import { buzzingVoice } from '../../fixtures/buzzing-voice.js';
import golden from '../../golden/voice_golden.json' with { type: 'json' };

test('rows are those that the voice embedding was trained on', () => {
  const rows = logMel(buzzingVoice());
  for (const [row, values] of Object.entries(golden.rows)) {
    values.forEach((value, band) => {
      expect(Math.abs(rows[Number(row) * logMelSize + band]! - value)).toBeLessThan(2e-3);
    });
  }
});

test('there is a row for each whole window of 25 ms, one every 10 ms', () => {
  expect(logMel(new Float32Array(399))).toHaveLength(0);
  expect(logMel(new Float32Array(400))).toHaveLength(logMelSize);
  expect(logMel(new Float32Array(16_000))).toHaveLength(98 * logMelSize);
});

test('silence has finite rows', () => {
  expect(logMel(new Float32Array(1600)).every(Number.isFinite)).toBe(true);
});
