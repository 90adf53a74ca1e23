import { expect, test } from 'vitest';
import { type Kept, toReport } from '../../../../bench/models/evaluation-report.js';

const parts: Record<string, Kept> = {
  speakers: {
    'lr-asd': [
      { measure: 'several faces, hand labels, frames AUC', value: 0.96, low: 0.92, high: 0.99, n: 20 },
    ],
    'edge-speaker': [
      { measure: 'several faces, hand labels, frames AUC', value: 0.94, low: 0.87, high: 0.99, n: 20 },
      {
        measure: 'two mouths, 2AFC 1 s: score: edge-speaker less lr-asd',
        value: 0.18,
        low: 0.02,
        high: 0.31,
        n: 20,
      },
    ],
  },
  cost: {
    'edge-speaker-visual': [{ measure: 'kB', value: 800 }],
    'edge-speaker-audio': [{ measure: 'kB', value: 400 }],
    'edge-speaker-backend': [{ measure: 'kB', value: 300 }],
    'lr-asd-visual': [{ measure: 'kB', value: 900 }],
  },
};
const report = toReport(part => parts[part] ?? {});

test('what ships comes first, with its figures beside the others’', () => {
  expect(report).toContain('| measure | n | edge-speaker | lr-asd |');
  expect(report).toContain(
    '| several faces, hand labels, frames AUC | 20 | 0.940 (0.870–0.990) | 0.960 (0.920–0.990) |',
  );
});

test('the three files of a speaker model cost what they cost together, and nothing is told where one is unknown', () => {
  expect(report).toContain('| kB |  | 1500 | – |');
});

test('an aim is judged by its figure or by the lower end of its interval', () => {
  expect(report).toContain(
    'several faces, hand labels, frames AUC | near LR-ASD | ≥ 0.95 | 0.940 | **no** |',
  );
  expect(report).toContain('edge-speaker less lr-asd, lower end | and not by chance | ≥ 0 | 0.020 | yes |');
});

test('parts that were never measured are left out', () => {
  expect(report).not.toContain('## Faces');
});
