import { describe, expect, test } from 'vitest';
import { hashOfData } from '../../../../src/identity/hash-of-data.js';
import {
  type ChunkRecord,
  type ClosedChunk,
  gapsOf,
  isClosed,
  recordVersion,
  takeOver,
} from '../../../../src/media/output/chunk-record.js';

const chunks: readonly ClosedChunk[] = [0, 1, 2, 3].map(k => ({
  frames: 250 + k,
  sizeBytes: 1000 + k,
  startUs: k * 1e7,
  endUs: (k + 1) * 1e7,
  firstFrame: 125 + k * 250,
  lastFrame: 374 + k * 250,
  shown: `shown ${k}`,
  ...(k < 3 && { nextSourceSec: 5 + (k + 1) * 10 }),
}));
const record: ChunkRecord = { version: recordVersion, work: 'w', description: 'avc1.42 00', chunks };
const sizes = new Map(chunks.map(({ sizeBytes }, index) => [index, sizeBytes]));
const shown = chunks.map(chunk => chunk.shown);
const good = { sizes, shown };

/** Numbers of the chunks that are taken over. */
const reused = (taken: ChunkRecord) => taken.chunks.flatMap((chunk, i) => (isClosed(chunk) ? i : []));

test('chunks of the same work that show the same are taken over', () => {
  expect(takeOver(record, 'w', good)).toEqual(record);
});

test('nothing is taken over of other work, of another version, or without a record', () => {
  const none = { version: recordVersion, work: 'v', chunks: [] };
  expect(takeOver(record, 'v', good)).toEqual(none);
  expect(takeOver({ ...record, version: 0 }, 'w', good).chunks).toEqual([]);
  for (const found of [undefined, null, 7, 'x', {}, { ...record, chunks: 3 }])
    expect(takeOver(found, 'v', good)).toEqual(none);
});

test.each([0, 1, 2, 3])(
  'a chunk that is lost, of another size or shows something else is drawn again (%i)',
  k => {
    const others = [0, 1, 2, 3].filter(index => index !== k);
    const lost = new Map([...sizes].filter(([index]) => index !== k));
    expect(reused(takeOver(record, 'w', { sizes: lost, shown }))).toEqual(others);
    const cutShort = new Map(sizes).set(k, 0);
    expect(reused(takeOver(record, 'w', { sizes: cutShort, shown }))).toEqual(others);
    const corrected = takeOver(record, 'w', { sizes, shown: shown.with(k, 'something else') });
    expect(reused(corrected)).toEqual(others);
    // Where it lies is still known.
    const { sizeBytes: _, shown: __, ...extent } = chunks[k]!;
    expect(corrected.chunks[k]).toEqual(extent);
  },
);

test('without chunks the next encoder may describe its pictures as it likes', () => {
  const taken = takeOver(record, 'w', { sizes: new Map(), shown });
  expect(taken).toEqual({ version: recordVersion, work: 'w', chunks: [] });
});

describe('what is still to be drawn', () => {
  const without = (...stale: number[]) =>
    gapsOf(
      takeOver(record, 'w', { sizes, shown: shown.map((hash, k) => (stale.includes(k) ? 'new' : hash)) })
        .chunks,
    );

  test('is all of a clip without chunks, the rest of one that was cut off, nothing of a whole one', () => {
    expect(gapsOf([])).toEqual([{ index: 0, frames: 0, startSec: 0 }]);
    expect(gapsOf(chunks.slice(0, 2))).toEqual([{ index: 2, frames: 501, startSec: 20, sourceSec: 25 }]);
    expect(gapsOf(chunks)).toEqual([]);
  });

  test('is each run of corrected chunks, from its first frame to the chunk behind it', () => {
    expect(without(0)).toEqual([{ index: 0, frames: 0, startSec: 0, until: { frames: 250, sec: 10 } }]);
    expect(without(1, 2)).toEqual([
      { index: 1, frames: 250, startSec: 10, sourceSec: 15, until: { frames: 753, sec: 30 } },
    ]);
    expect(without(0, 2)).toEqual([
      { index: 0, frames: 0, startSec: 0, until: { frames: 250, sec: 10 } },
      { index: 2, frames: 501, startSec: 20, sourceSec: 25, until: { frames: 753, sec: 30 } },
    ]);
    expect(without(3)).toEqual([{ index: 3, frames: 753, startSec: 30, sourceSec: 35 }]);
  });
});

test('equal work has an equal hash in whatever order its fields come', async () => {
  const one = await hashOfData({ size: { width: 2, height: 4 }, list: [1, { a: 1, b: undefined }] });
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(await hashOfData({ list: [1, { a: 1 }], size: { height: 4, width: 2 } })).toBe(one);
  expect(await hashOfData({ size: { width: 2, height: 4 }, list: [{ a: 1 }, 1] })).not.toBe(one);
  expect(await hashOfData({ size: { width: 2, height: 5 }, list: [1, { a: 1 }] })).not.toBe(one);
});
