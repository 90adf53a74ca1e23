import type { PixelBox, Size } from '../schema/geometry.js';
import type { Background } from '../schema/plan.js';

/**
 * One region of the output: `source` (pixels of the displayed frame) drawn into `output` (output pixels), with corners of
 * `cornerRadius` output pixels (default 0).
 */
export type DrawPanel = {
  readonly source: PixelBox;
  readonly output: PixelBox;
  readonly cornerRadius?: number;
};

/** What one output frame shows: panels, later ones over earlier ones, over a background. */
export type Drawing = {
  readonly panels: readonly DrawPanel[];
  /**
   * What is seen where no panel lies. `blur` and `gradient` are made of the part of the frame that the panels show: scaled
   * to cover the output, blurred and darkened, or from the mean colour of one of its edges to that of the opposite one.
   */
  readonly background: Background;
  /** The colour of `colour`, `#rrggbb`; default black. */
  readonly backgroundColour?: string;
};

/** Draws output frames: the same pixels on every implementation within a few grey levels. */
export interface Compositor {
  readonly kind: 'cpu' | 'webgpu';
  /**
   * @param frame - Coded pixels; stays open and owned by the caller.
   * @param display - Displayed size and rotation of the source.
   * @returns An 8-bit SDR BT.709 frame of the output size with the given frame's timestamp and duration; the
   *   caller closes it.
   */
  compose(
    frame: VideoFrame,
    display: Size & { readonly rotationDeg: 0 | 90 | 180 | 270 },
    drawing: Drawing,
  ): Promise<VideoFrame>;
  close(): void;
}
