import type { Size } from '../../schema/geometry.js';

/** The four sides of a picture, in the order in which they are listed everywhere. */
export const sideNames = ['left', 'right', 'top', 'bottom'] as const;
export type SideName = (typeof sideNames)[number];

/** A side as a row of lines that begins with the outermost one: index `start + line · inward + position · along`. */
export type Side = {
  readonly start: number;
  readonly inward: number;
  readonly along: number;
  /** Lines from this side to the opposite one. */
  readonly lines: number;
  /** Pixels of a line. */
  readonly length: number;
};

export function sideOf(name: SideName, { width, height }: Size): Side {
  switch (name) {
    case 'left':
      return { start: 0, inward: 1, along: width, lines: width, length: height };
    case 'right':
      return { start: width - 1, inward: -1, along: width, lines: width, length: height };
    case 'top':
      return { start: 0, inward: width, along: 1, lines: height, length: width };
    case 'bottom':
      return { start: (height - 1) * width, inward: -width, along: 1, lines: height, length: width };
  }
}

/** Pieces into which a line is divided, one bit each: what was ever seen in each piece is kept in one number. */
export const cellCount = 24;

/** First position of a cell along a line. */
export const cellStart = (cell: number, length: number): number => Math.floor((cell * length) / cellCount);

/** The share of the cells whose bit is set, of those from `from` to `to` (exclusive). */
export function cellShare(mask: number, from = 0, to = cellCount): number {
  let set = 0;
  for (let cell = from; cell < to; cell++) set += (mask >> cell) & 1;
  return to > from ? set / (to - from) : 0;
}
