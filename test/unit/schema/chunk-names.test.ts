import { expect, test } from 'vitest';
import {
  clipOfSegment,
  isSegmentOf,
  segmentName,
  segmentRecordName,
} from '../../../src/schema/chunk-names.js';

const clip = '0f8e_reframe.mp4';

test('closed segments and their record are kept for their clip', () => {
  for (const name of [segmentName(clip, 0), segmentName(clip, 12_345), segmentRecordName(clip)]) {
    expect(clipOfSegment(name)).toBe(clip);
    expect(isSegmentOf(name, clip)).toBe(true);
  }
});

test.each(['.part', '.crswap', '.part.crswap', '.1.crswap', '.part.2.crswap'])(
  'a draft that ends in %s is kept for nobody, and goes with its clip',
  ending => {
    expect(clipOfSegment(segmentName(clip, 3) + ending)).toBeUndefined();
    expect(isSegmentOf(segmentName(clip, 3) + ending, clip)).toBe(true);
  },
);

test.each([
  clip,
  `${clip}.part`,
  `${clip}.seg-`,
  `${clip}.seg-12`,
  'other.mp4.seg-0001',
  `${clip}.seg-0001.txt`,
])('%s is no segment of the clip', name => expect(isSegmentOf(name, clip)).toBe(false));

test('a clip whose own name looks like a segment has segments of its own', () => {
  const odd = segmentName('a.mp4', 1);
  expect(isSegmentOf(segmentName(odd, 2), odd)).toBe(true);
  expect(isSegmentOf(segmentName(odd, 2), 'a.mp4')).toBe(false);
});
