import { expect, test } from 'vitest';
import { generateCutClips } from '../../../../bench/models/cuts/generated-cuts.js';
import { meanDifference, toLevels } from '../../../../src/core/thumbnail.js';

const clips = generateCutClips(1, [], 1);

test('one seed gives the same clips, another gives others', () => {
  const [again] = generateCutClips(1, [], 1);
  expect(again).toEqual(clips[0]);
  expect(generateCutClips(2, [], 1)[0]!.thumbnails).not.toEqual(clips[0]!.thumbnails);
});

test('boundaries lie within their clips, in order', () => {
  for (const { name, thumbnails, cuts, transitions } of clips) {
    const ends = [...cuts, ...transitions.flat(), thumbnails.length - 1];
    expect(ends, name).toEqual(ends.toSorted((a, b) => a - b));
    expect(ends[0], name).toBeGreaterThan(0);
  }
});

test('thumbnails have the product’s form', () => {
  for (const { name, thumbnails } of clips)
    for (const thumbnail of [thumbnails[0]!, thumbnails.at(-1)!]) {
      expect(thumbnail, name).toHaveLength(27 * 48 * 3);
      expect(
        thumbnail.every(value => value >= 0 && value <= 1 + 1e-6),
        name,
      ).toBe(true);
    }
});

test('the picture changes at a cut and not before it', () => {
  const [clip] = clips.filter(({ kind }) => kind === 'hard cut');
  const levels = clip!.thumbnails.map(thumbnail => toLevels(thumbnail).rgb);
  for (const cut of clip!.cuts) {
    const change = (i: number) => meanDifference(levels[i]!, levels[i - 1]!);
    expect(change(cut)).toBeGreaterThan(4 * Math.max(change(cut - 1), change(cut + 1)));
  }
});
