import type { Letterbox } from '../core/letterbox.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { areaTaps, bilinearTaps, tentTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';

/** Maps from an upright picture to the whole of it at another size, by the mean of what each pixel covers. */
export function wholeMaps(from: Size, to: Size): PlaneMaps {
  const map = (inputs: number, outputs: number) =>
    areaTaps({ from: 0, step: inputs / outputs, outputs, inputs });
  return { across: map(from.width, to.width), down: map(from.height, to.height) };
}

/** Maps from an upright picture to its place in a letterbox; pixel aspect is undone on the way. */
export function letterboxMaps(
  { size, display }: Pick<Planes, 'size' | 'display'>,
  box: Letterbox,
): PlaneMaps {
  const map = (pixels: number, displayed: number, outputs: number) =>
    bilinearTaps({ from: 0, step: pixels / displayed / box.scale, outputs, inputs: pixels });
  return {
    across: map(size.width, display.width, box.width),
    down: map(size.height, display.height, box.height),
  };
}

/** Maps from an upright picture to a part of it at another size, with the prefilter that shrinking needs. */
export function partMaps(
  { size, display }: Pick<Planes, 'size' | 'display'>,
  box: PixelBox,
  to: Size,
): PlaneMaps {
  const map = (from: number, length: number, inputs: number, displayed: number, outputs: number) =>
    tentTaps({
      from: (from * inputs) / displayed,
      step: (length * inputs) / displayed / outputs,
      outputs,
      inputs,
    });
  return {
    across: map(box.x, box.width, size.width, display.width, to.width),
    down: map(box.y, box.height, size.height, display.height, to.height),
  };
}
