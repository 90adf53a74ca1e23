import type { Size } from '../schema/geometry.js';

/** Where a picture lies inside a model's input. */
export type Letterbox = {
  /** Input pixels per displayed pixel, the same on both axes. */
  readonly scale: number;
  /** Left and top padding in input pixels, whole numbers. */
  readonly offsetX: number;
  readonly offsetY: number;
  /** Size of the picture inside the input, whole numbers. */
  readonly width: number;
  readonly height: number;
};

/**
 * The largest copy of the picture that fits into the input, aspect kept, centred. The size is rounded to whole
 * pixels and an odd padding leaves the smaller half on the left and top, as YOLO's letterbox does; sampling
 * keeps the unrounded `scale`, so that `displayed = (input − offset) / scale` holds exactly for a box's edges.
 */
export function letterboxOf(display: Size, input: Size): Letterbox {
  const scale = Math.min(input.width / display.width, input.height / display.height);
  const width = Math.max(1, Math.round(display.width * scale));
  const height = Math.max(1, Math.round(display.height * scale));
  return {
    scale,
    offsetX: Math.floor((input.width - width) / 2),
    offsetY: Math.floor((input.height - height) / 2),
    width,
    height,
  };
}
