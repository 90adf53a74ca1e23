import type { PixelBox, Size } from '../schema/geometry.js';

/** One region of the output: `source` (pixels of the displayed frame) drawn into `output` (output pixels). */
export type DrawPanel = { readonly source: PixelBox; readonly output: PixelBox };

/** What one output frame shows: panels over a background made of the frame itself. */
export type Drawing = {
  readonly panels: readonly DrawPanel[];
  /** `blur`: the frame scaled to cover the output, blurred and darkened; `black` otherwise. */
  readonly background: 'blur' | 'black';
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
