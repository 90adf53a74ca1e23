import type { Letterbox } from '../core/letterbox.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { areaTaps, bilinearTaps } from '../pixels/taps.js';
import type { Size } from '../schema/geometry.js';
import { thumbnailSize } from './sampler.js';

/** Maps from an upright picture to its thumbnail. */
export function thumbnailMaps({ width, height }: Size): PlaneMaps {
  const map = (inputs: number, outputs: number) =>
    areaTaps({ from: 0, step: inputs / outputs, outputs, inputs });
  return { across: map(width, thumbnailSize.width), down: map(height, thumbnailSize.height) };
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
