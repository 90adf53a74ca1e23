import type { Size } from '../schema/geometry.js';
import { colourOf } from './colour.js';
import type { CodedPixels, PixelFormat } from './planes.js';
import { bitsOf, isPixelFormat, isRgbFormat } from './planes.js';

/** Displayed size, and the clockwise rotation that leads to it. */
export type DisplayOf = Size & { readonly rotationDeg: 0 | 90 | 180 | 270 };

/** Gives a byte array of at least the size; it is the reader's until the planes are no longer used. */
export type TakeBytes = (sizeBytes: number) => Uint8Array;

/**
 * Copies the visible pixels of a frame into memory, in the layout that the browser prefers. Formats that
 * {@link isPixelFormat} does not know, opaque ones included, are converted to RGBA by the browser.
 */
export async function readPixels(
  frame: VideoFrame,
  display: DisplayOf,
  take: TakeBytes,
): Promise<CodedPixels> {
  const visible = frame.visibleRect!;
  const known = isPixelFormat(frame.format);
  const format: PixelFormat = known ? (frame.format as PixelFormat) : 'RGBA';
  // copyTo refuses a rectangle that begins inside a chroma sample: begin before it and remember by how much.
  const phaseX = isRgbFormat(format) ? 0 : visible.x % 2;
  const phaseY = isRgbFormat(format) ? 0 : visible.y % 2;
  const options: VideoFrameCopyToOptions = {
    rect: {
      x: visible.x - phaseX,
      y: visible.y - phaseY,
      width: visible.width + phaseX,
      height: visible.height + phaseY,
    },
    ...(known ? {} : { format: 'RGBA' }),
  };
  const data = take(frame.allocationSize(options));
  const layout = await frame.copyTo(data, options);
  const bits = bitsOf(format);
  return {
    format,
    data,
    layout,
    size: { width: visible.width, height: visible.height },
    phaseX,
    phaseY,
    colour: isRgbFormat(format)
      ? { matrix: 'rgb', range: 'full', bits }
      : colourOf(frame.colorSpace, visible.height, bits),
    display,
  };
}
