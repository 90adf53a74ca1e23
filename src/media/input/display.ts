import type { Display } from '../media.js';

/** Width to height of one pixel. */
export type PixelAspect = { readonly num: number; readonly den: number };

/**
 * The displayed picture of coded pixels: pixel aspect first, rotation after. The longer side grows, so that no line
 * is lost, and both backends round alike.
 *
 * @param rotationDeg - Clockwise rotation that the container asks for, any multiple of 90.
 */
export function displayOf(
  coded: { readonly width: number; readonly height: number },
  aspect: PixelAspect,
  rotationDeg: number,
): Display {
  const { num, den } = aspect.num > 0 && aspect.den > 0 ? aspect : { num: 1, den: 1 };
  const width = num > den ? Math.round((coded.width * num) / den) : coded.width;
  const height = num < den ? Math.round((coded.height * den) / num) : coded.height;
  const turns = ((Math.round(rotationDeg / 90) % 4) + 4) % 4;
  return {
    width: turns % 2 ? height : width,
    height: turns % 2 ? width : height,
    rotationDeg: ([0, 90, 180, 270] as const)[turns]!,
  };
}
