import { contain, type LayoutShape } from './layout-shape.js';

/** One window that holds several faces, as large as its aspect allows; the background fills the rest. */
export const group: LayoutShape = {
  faces: [2, Number.POSITIVE_INFINITY],
  panels: ({ output, content = output }) => [contain(content, { x: 0, y: 0, ...output })],
};
