import { contain, type LayoutShape } from './layout-shape.js';

/** The whole picture (without bars) in the middle of the output; the background fills the rest. */
export const fit: LayoutShape = {
  faces: [0, 0],
  panels: ({ output, content = output }) => [contain(content, { x: 0, y: 0, ...output })],
};
