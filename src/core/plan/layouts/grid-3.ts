import { divide, isUpright, type LayoutShape } from './layout-shape.js';

/**
 * One wide panel over two, for the face that leads; one high panel beside two in a wide output. The panels of the other
 * two keep their order.
 */
export const grid3: LayoutShape = {
  faces: [3, 3],
  panels({ output, gapPx, lead = 0 }) {
    const { width, height } = output;
    const upright = isUpright(output);
    const [start, size, nextStart, nextSize] = divide(upright ? height : width, 0.5, gapPx);
    const [a, aSize, b, bSize] = divide(upright ? width : height, 0.5, gapPx);
    const wide = upright ? { x: 0, y: start, width, height: size } : { x: start, y: 0, width: size, height };
    const small = upright
      ? [
          { x: a, y: nextStart, width: aSize, height: nextSize },
          { x: b, y: nextStart, width: bSize, height: nextSize },
        ]
      : [
          { x: nextStart, y: a, width: nextSize, height: aSize },
          { x: nextStart, y: b, width: nextSize, height: bSize },
        ];
    return [0, 1, 2].map(i => (i === lead ? wide : small[i < lead ? i : i - 1]!));
  },
};
