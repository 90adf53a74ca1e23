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

/**
 * A picture that lies over the finished one: `rgba` by rows, 8 bits, R'G'B' and transparency, colours not multiplied by
 * it. The pixels of an overlay never change: another picture is another object, and one object is prepared once.
 */
export type Overlay = {
  /** Output pixels; all four numbers even, inside the output. */
  readonly box: PixelBox;
  readonly rgba: Uint8ClampedArray<ArrayBuffer>;
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
  /** Lies over all of it; only the pixels of its box are touched. */
  readonly overlay?: Overlay;
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
