import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { cubicTaps, tentTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { DrawPanel } from './compositor.js';
import type { Place } from './free-boxes.js';

/** Maps of one layer: which output pixels it fills, and from which picture pixels along each axis. */
export type Layer = PlaneMaps & {
  /** Output pixels; all four numbers even, so that chroma samples belong to one layer. */
  readonly output: PixelBox;
};

/** @throws RangeError unless both sides are positive even numbers: chroma samples cover two pixels. */
export function checkedSize({ width, height }: Size): Size {
  if (!(width > 0 && height > 0) || width % 2 || height % 2)
    throw new RangeError(`outputSize must be positive even numbers, not ${width}×${height}.`);
  return { width, height };
}

/** The nearest even number. */
const even = (value: number): number => 2 * Math.round(value / 2);

/**
 * The panel's place, on even pixels and inside the output; undefined when nothing of it is left. Corners are rounded by
 * half of the shorter side at most.
 */
export function placeOf({ output, cornerRadius = 0 }: DrawPanel, size: Size): Place | undefined {
  const x = Math.max(0, even(output.x));
  const y = Math.max(0, even(output.y));
  const width = Math.min(size.width, even(output.x + output.width)) - x;
  const height = Math.min(size.height, even(output.y + output.height)) - y;
  if (!(width > 0 && height > 0)) return undefined;
  return { x, y, width, height, cornerRadius: Math.max(0, Math.min(cornerRadius, width / 2, height / 2)) };
}

/** Catmull-Rom where the picture is magnified, a tent as wide as needed where it shrinks: sharp, and no aliases. */
export function layerOf(
  panel: DrawPanel,
  { x, y, width, height }: PixelBox,
  { size, display }: Pick<Planes, 'size' | 'display'>,
): Layer {
  const { source, output } = panel;
  const map = (
    from: number,
    length: number,
    to: { from: number; length: number; first: number; outputs: number },
    scale: number,
    inputs: number,
  ) => {
    const step = (length / to.length) * scale;
    // What the rounding to even pixels cut off or added is seen, not squeezed.
    const stretch = { from: from * scale + (to.first - to.from) * step, step, outputs: to.outputs, inputs };
    return step > 1 ? tentTaps(stretch) : cubicTaps(stretch);
  };
  return {
    output: { x, y, width, height },
    across: map(
      source.x,
      source.width,
      { from: output.x, length: output.width, first: x, outputs: width },
      size.width / display.width,
      size.width,
    ),
    down: map(
      source.y,
      source.height,
      { from: output.y, length: output.height, first: y, outputs: height },
      size.height / display.height,
      size.height,
    ),
  };
}
