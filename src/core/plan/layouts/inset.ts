import { even, type LayoutShape } from './layout-shape.js';

/** Width of the face's panel and its distance from the edges, in shorter sides of the output. */
const [insetRatio, marginRatio] = [0.36, 0.04];

/** The screen fills the output, the face lies in a corner of it. */
export const inset: LayoutShape = {
  faces: [1, 1],
  hasScreen: true,
  panels({ output, gapPx, corner = { right: true, bottom: true } }) {
    const { width, height } = output;
    const short = Math.min(width, height);
    const side = even(insetRatio * short);
    const margin = even(Math.max(gapPx, marginRatio * short));
    return [
      { x: 0, y: 0, width, height },
      {
        x: corner.right ? width - side - margin : margin,
        y: corner.bottom ? height - side - margin : margin,
        width: side,
        height: side,
      },
    ];
  },
};
