import { describe, expect, test } from 'vitest';
import { freeBoxes, type Place } from '../../../src/compositing/free-boxes.js';

const size = { width: 20, height: 30 };
const place = (x: number, y: number, width: number, height: number, cornerRadius = 0): Place => ({
  ...{ x, y, width, height, cornerRadius },
});

/** Which pixels lie in a box. */
const painted = (boxes: readonly { x: number; y: number; width: number; height: number }[]) => {
  const count = new Uint8Array(size.width * size.height);
  for (const { x, y, width, height } of boxes)
    for (let row = y; row < y + height; row++)
      for (let column = x; column < x + width; column++) count[row * size.width + column]!++;
  return count;
};

describe('what is free of an output', () => {
  test.each([
    ['nothing, where one panel fills it', [place(0, 0, 20, 30)], 0],
    [
      'nothing, where four tile it',
      [place(0, 0, 10, 16), place(10, 0, 10, 16), place(0, 16, 10, 14), place(10, 16, 10, 14)],
      0,
    ],
    ['nothing, where one lies over another', [place(0, 0, 20, 30), place(4, 4, 8, 8, 4)], 0],
    ['bands above and below', [place(0, 10, 20, 8)], 2],
    [
      'a cross, between four',
      [place(0, 0, 8, 14), place(12, 0, 8, 14), place(0, 16, 8, 14), place(12, 16, 8, 14)],
      3,
    ],
    ['everything, where there is no panel', [], 1],
  ] as const)('is %s', (_, places, boxes) => {
    const free = freeBoxes(places, size);
    expect(free.length).toBe(boxes);
    const covered = painted(places);
    expect([...painted(free)]).toEqual([...covered].map(count => Number(count === 0)));
  });

  test('is also what lies behind rounded corners, in even pixels', () => {
    const free = freeBoxes([place(0, 0, 20, 30, 5)], size);
    const pixels = painted(free);
    for (const at of [0, 19, 29 * 20, 599]) expect(pixels[at]).toBe(1);
    expect(pixels[15 * 20 + 10]).toBe(0);
    for (const { x, y, width, height } of free)
      expect([x, y, width, height].map(side => side % 2)).toEqual([0, 0, 0, 0]);
  });
});
