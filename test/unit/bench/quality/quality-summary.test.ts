import { expect, test } from 'vitest';
import { qualitySection } from '../../../../bench/quality/quality-summary.js';

const clip = (name: string, face_recall: number | null, cuts_missed: number) => ({
  name,
  figures: { face_recall, cuts_missed },
});
const columns = qualitySection(
  [clip('a', 0.9, 1), clip('b', 0.7, 0), clip('c', 1, 2), clip('only here', 0.1, 9)],
  [clip('a', 0.8, 0), clip('b', 0.8, 0), clip('c', null, 0)],
);
const find = (column: string, measure: string) => columns[column]!.find(row => row.measure === measure);

test('shares are means of the clips that both sets were judged on', () => {
  expect(find('shipped', 'faces found')!.value).toBeCloseTo(0.8);
  expect(find('public', 'faces found')!.value).toBeCloseTo(0.8);
  expect(find('shipped', 'faces found')!.n).toBe(2);
});

test('counts add up over the clips that both sets have', () => {
  expect(find('shipped', 'cuts missed')!.value).toBe(3);
  expect(find('shipped less public', 'cuts missed')!.value).toBe(3);
});

test('a difference is resampled in pairs', () => {
  const { value, low, high } = find('shipped less public', 'faces found')!;
  expect(value).toBeCloseTo(0);
  expect([low, high]).toEqual([expect.closeTo(-0.1), expect.closeTo(0.1)]);
});

test('each clip has its line', () => {
  expect(find('public', 'c')!.text).toBe('– · – · – · –');
  expect(find('shipped', 'a')!.text).toBe('0.900 · – · – · –');
});
