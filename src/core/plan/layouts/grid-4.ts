import { divide, type LayoutShape } from './layout-shape.js';

/** Two rows of two faces. */
export const grid4: LayoutShape = {
  faces: [4, 4],
  panels({ output: { width, height }, gapPx }) {
    const [left, leftSize, right, rightSize] = divide(width, 0.5, gapPx);
    const [top, topSize, bottom, bottomSize] = divide(height, 0.5, gapPx);
    return [
      { x: left, y: top, width: leftSize, height: topSize },
      { x: right, y: top, width: rightSize, height: topSize },
      { x: left, y: bottom, width: leftSize, height: bottomSize },
      { x: right, y: bottom, width: rightSize, height: bottomSize },
    ];
  },
};
