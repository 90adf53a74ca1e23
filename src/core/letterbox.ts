import type { Size } from '../schema/geometry.js';

/** Where a picture lies in a model's input: input = picture × `scale` + offset, in continuous pixels. */
export type Letterbox = { readonly scale: number; readonly offsetX: number; readonly offsetY: number };

/** Fits a picture of size `display` into an input of size `spec`: aspect kept, centred, as large as it goes. */
export function letterboxOf(display: Size, spec: Size): Letterbox {
  const scale = Math.min(spec.width / display.width, spec.height / display.height);
  return {
    scale,
    offsetX: (spec.width - display.width * scale) / 2,
    offsetY: (spec.height - display.height * scale) / 2,
  };
}
