import type { LayoutShape } from './layout-shape.js';

/** One window fills the output. */
export const single: LayoutShape = {
  faces: [0, 1],
  panels: ({ output: { width, height } }) => [{ x: 0, y: 0, width, height }],
};
