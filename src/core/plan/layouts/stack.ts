import { divide, isUpright, type LayoutShape } from './layout-shape.js';

/** What the larger half of a stack has: enough to see who leads, while the other face stays readable. */
const leadRatio = 0.58;

/** Two faces one above the other, side by side in a wide output; the half of who talks may be larger. */
export const stack: LayoutShape = {
  faces: [2, 2],
  panels({ output, gapPx, lead }) {
    const { width, height } = output;
    const ratio = lead === undefined ? 0.5 : lead === 0 ? leadRatio : 1 - leadRatio;
    const [start, size, nextStart, nextSize] = divide(isUpright(output) ? height : width, ratio, gapPx);
    return isUpright(output)
      ? [
          { x: 0, y: start, width, height: size },
          { x: 0, y: nextStart, width, height: nextSize },
        ]
      : [
          { x: start, y: 0, width: size, height },
          { x: nextStart, y: 0, width: nextSize, height },
        ];
  },
};
