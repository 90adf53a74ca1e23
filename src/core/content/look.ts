import type { Size } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';

/** One look at a frame's brightness, a few times a second and on the first frame of each shot. */
export type Look = FrameTime & {
  /** Whether tracking counts the frame as the first of a shot. */
  readonly cut: boolean;
  /** uint8 `[height, width]`, 0 black, 255 white. */
  readonly luma: Uint8Array;
  readonly size: Size;
};

/** How often looks are taken, seconds: as often as faces are looked for, so that both see the same frames. */
export const lookStepSec = 0.2;
/** Pixels along the longer side of a look: letters of a caption still have strokes, and it costs little. */
const lookLongSide = 384;

/** Size of the looks at a picture; never larger than the picture. */
export function lookSizeOf({ width, height }: Size): Size {
  const ratio = Math.min(1, lookLongSide / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}
