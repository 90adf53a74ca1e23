import type { PixelBox, PixelPoint } from '../schema/geometry.js';
import { lerp } from './series.js';

/** The middle of a box. */
export const centre = (box: PixelBox): PixelPoint => ({
  x: box.x + box.width / 2,
  y: box.y + box.height / 2,
});

/** Area of the overlap of two boxes. */
export function overlapArea(a: PixelBox, b: PixelBox): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** Intersection over union, 0–1; 0 for two empty boxes. */
export function iou(a: PixelBox, b: PixelBox): number {
  const overlap = overlapArea(a, b);
  const union = a.width * a.height + b.width * b.height - overlap;
  return union > 0 ? overlap / union : 0;
}

/** The box between two boxes: `a` at 0, `b` at 1. */
export const lerpBox = (a: PixelBox, b: PixelBox, ratio: number): PixelBox => ({
  x: lerp(a.x, b.x, ratio),
  y: lerp(a.y, b.y, ratio),
  width: lerp(a.width, b.width, ratio),
  height: lerp(a.height, b.height, ratio),
});

/** The smallest box that holds both. */
export function unionBox(a: PixelBox, b: PixelBox): PixelBox {
  const x = Math.min(a.x, b.x);
  const y = Math.min(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(a.x + a.width, b.x + b.width) - x,
    height: Math.max(a.y + a.height, b.y + b.height) - y,
  };
}
