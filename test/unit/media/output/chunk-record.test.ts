import { expect, test } from 'vitest';
import { hashOfData } from '../../../../src/identity/hash-of-data.js';
import {
  type ChunkRecord,
  type ClosedChunk,
  doneBy,
  recordVersion,
  takeOver,
} from '../../../../src/media/output/chunk-record.js';

const chunks: readonly ClosedChunk[] = [0, 1, 2, 3].map(k => ({
  frames: 250 + k,
  sizeBytes: 1000 + k,
  startUs: k * 1e7,
  endUs: (k + 1) * 1e7,
  ...(k < 3 && { nextSourceSec: 5 + (k + 1) * 10 }),
}));
const record: ChunkRecord = { version: recordVersion, work: 'w', description: 'avc1.42 00', chunks };
const sizes = new Map(chunks.map(({ sizeBytes }, index) => [index, sizeBytes]));

test('chunks of the same work are taken over', () => {
  expect(takeOver(record, 'w', sizes)).toEqual(record);
});

test('nothing is taken over of other work, of another version, or without a record', () => {
  const none = { version: recordVersion, work: 'v', chunks: [] };
  expect(takeOver(record, 'v', sizes)).toEqual(none);
  expect(takeOver({ ...record, version: 0 }, 'w', sizes).chunks).toEqual([]);
  for (const found of [undefined, null, 7, 'x', {}, { ...record, chunks: 3 }])
    expect(takeOver(found, 'v', sizes)).toEqual(none);
});

test.each([0, 1, 2, 3])('chunks are taken over up to the first that is lost or of another size (%i)', k => {
  const lost = new Map([...sizes].filter(([index]) => index !== k));
  expect(takeOver(record, 'w', lost).chunks).toEqual(chunks.slice(0, k));
  const cutShort = new Map(sizes).set(k, 0);
  expect(takeOver(record, 'w', cutShort).chunks).toEqual(chunks.slice(0, k));
});

test('without chunks the next encoder may describe its pictures as it likes', () => {
  expect(takeOver(record, 'w', new Map()).description).toBeUndefined();
});

test('what is done is known from the chunks alone', () => {
  expect(doneBy([])).toEqual({ frames: 0, untilSec: 0, isComplete: false });
  expect(doneBy(chunks.slice(0, 2))).toEqual({
    frames: 501,
    untilSec: 20,
    nextSourceSec: 25,
    isComplete: false,
  });
  expect(doneBy(chunks)).toEqual({ frames: 1006, untilSec: 40, isComplete: true });
});

test('equal work has an equal hash in whatever order its fields come', async () => {
  const one = await hashOfData({ size: { width: 2, height: 4 }, list: [1, { a: 1, b: undefined }] });
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(await hashOfData({ list: [1, { a: 1 }], size: { height: 4, width: 2 } })).toBe(one);
  expect(await hashOfData({ size: { width: 2, height: 4 }, list: [{ a: 1 }, 1] })).not.toBe(one);
  expect(await hashOfData({ size: { width: 2, height: 5 }, list: [1, { a: 1 }] })).not.toBe(one);
});
