import { expect, test } from 'vitest';
import { chunkName, chunkRecordName, clipOfChunk, isChunkOf } from '../../../src/schema/chunk-names.js';

const clip = '0f8e_reframe.mp4';

test('closed chunks and their record are kept for their clip', () => {
  for (const name of [chunkName(clip, 0), chunkName(clip, 12_345), chunkRecordName(clip)]) {
    expect(clipOfChunk(name)).toBe(clip);
    expect(isChunkOf(name, clip)).toBe(true);
  }
});

test.each(['.part', '.crswap', '.part.crswap', '.1.crswap', '.part.2.crswap'])(
  'a draft that ends in %s is kept for nobody, and goes with its clip',
  ending => {
    expect(clipOfChunk(chunkName(clip, 3) + ending)).toBeUndefined();
    expect(isChunkOf(chunkName(clip, 3) + ending, clip)).toBe(true);
  },
);

test.each([
  clip,
  `${clip}.part`,
  `${clip}.chunk-`,
  `${clip}.chunk-12`,
  'other.mp4.chunk-0001',
  `${clip}.chunk-0001.txt`,
])('%s is no chunk of the clip', name => expect(isChunkOf(name, clip)).toBe(false));

test('a clip whose own name looks like a chunk has chunks of its own', () => {
  const odd = chunkName('a.mp4', 1);
  expect(isChunkOf(chunkName(odd, 2), odd)).toBe(true);
  expect(isChunkOf(chunkName(odd, 2), 'a.mp4')).toBe(false);
});

test.each(['seg-0003', 'seg-record'])('what an earlier version kept (%s) goes with the clip', ending => {
  expect(clipOfChunk(`${clip}.${ending}`)).toBe(clip);
  expect(isChunkOf(`${clip}.${ending}`, clip)).toBe(true);
});
