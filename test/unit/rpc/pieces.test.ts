import { expect, test } from 'vitest';
import { createAssembly, piecesOf } from '../../../src/rpc/pieces.js';

/** Every value in a JSON value, itself included. */
const count = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, child) => sum + count(child), 1)
    : 1;

const box = (i: number) => ({ frame: i, x: i / 2, y: null });
const result = {
  name: 'clip',
  none: [],
  tracks: [
    { id: 0, boxes: Array.from({ length: 90 }, (_, i) => box(i)) },
    ...Array.from({ length: 40 }, (_, id) => ({ id, boxes: [box(id)] })),
    { id: 7, boxes: Array.from({ length: 50 }, (_, i) => box(i)), deep: [[[1, 2], Array(70).fill(3)], []] },
  ],
  flag: false,
};

test.each([2, 3, 10, 64, 1e6])('a value of pieces of %i values is the value again', most => {
  const assembly = createAssembly();
  // As workers get them.
  for (const piece of piecesOf(result, most)) assembly.add(structuredClone(piece));
  expect(assembly.value).toEqual(result);
});

test('no piece holds more than was asked for', () => {
  const sizes = [...piecesOf(result, 40)].map(piece =>
    'items' in piece ? piece.items.reduce((sum: number, item) => sum + count(item), 0) : count(piece.value),
  );
  expect(Math.max(...sizes)).toBeLessThanOrEqual(40);
  // Small things travel together.
  expect(sizes.length).toBeLessThan(count(result) / 15);
});

test('what is small is one piece', () => {
  expect([...piecesOf({ a: 1 }, 10)]).toEqual([{ path: [], value: { a: 1 } }]);
  expect([...piecesOf('word', 10)]).toEqual([{ path: [], value: 'word' }]);
});
