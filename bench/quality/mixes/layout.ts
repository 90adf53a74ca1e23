import type { Random } from '../../harness/random.js';

/** All mixes have this size and frame rate. */
export const pictureWidth = 640;
export const pictureHeight = 360;
export const frameRateHz = 25;

/** A rectangle in whole pixels. */
export type Area = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

const layouts = {
  full: [{ x: 0, y: 0, width: 640, height: 360 }],
  two: [0, 324].map(x => ({ x, y: 0, width: 316, height: 360 })),
  three: [0, 216, 432].map(x => ({ x, y: 0, width: 208, height: 360 })),
  four: [0, 184].flatMap(y => [0, 324].map(x => ({ x, y, width: 316, height: 176 }))),
} as const satisfies Record<string, readonly Area[]>;
export type Layout = keyof typeof layouts;
export const areasOf = (layout: Layout): readonly Area[] => layouts[layout];

/** Largest face height that leaves hair and chin inside of a panel. */
const largestFacePx: Readonly<Record<Layout, number>> = { full: 200, two: 200, three: 150, four: 104 };
const smallestFacePx = 30;
/** From this height on a face must be found. */
const findableFacePx = 48;

/** A height by equal chances of each ratio: a quarter below what must be found. */
export function drawFacePx(random: Random, layout: Layout): number {
  const isTiny = random() < 0.25;
  const [least, most] = isTiny
    ? [smallestFacePx, findableFacePx]
    : [findableFacePx + 2, largestFacePx[layout]];
  return Math.round(least * (most / least) ** random());
}
