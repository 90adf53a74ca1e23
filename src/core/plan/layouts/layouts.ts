import type { Layout } from '../../../schema/plan.js';
import { fit } from './fit.js';
import { grid3 } from './grid-3.js';
import { grid4 } from './grid-4.js';
import { group } from './group.js';
import { inset } from './inset.js';
import type { LayoutShape } from './layout-shape.js';
import { screenSpeaker } from './screen-speaker.js';
import { single } from './single.js';
import { stack } from './stack.js';

/** Every layout and how it divides the output: a new one is a file, a line here and a word of `layouts`. */
export const layoutShapes: Readonly<Record<Layout, LayoutShape>> = {
  single,
  stack,
  'grid-3': grid3,
  'grid-4': grid4,
  'screen-speaker': screenSpeaker,
  inset,
  group,
  fit,
};
