import type { PixelBox, PixelPoint } from '../schema/geometry.js';

/**
 * One face in one frame, in pixels of the displayed frame, before any tracking. `landmarks`, where the model
 * gives them: left eye, right eye, nose, left mouth corner, right mouth corner (left and right of the image).
 */
export type Detection = PixelBox & {
  readonly confidence: number;
  readonly landmarks?: readonly PixelPoint[];
};
