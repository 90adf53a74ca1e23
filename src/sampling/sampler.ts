import type { PixelBox, Size } from '../schema/geometry.js';

/** A tensor for a model: in memory, or a buffer of the one GPUDevice that sampler and sessions share. */
export type Sample =
  | { readonly kind: 'cpu'; readonly dims: readonly number[]; readonly data: Float32Array }
  | {
      readonly kind: 'gpu';
      readonly dims: readonly number[];
      readonly buffer: GPUBuffer;
      /** Gives the buffer back; call once the model has run. */
      release(): void;
    };

/** Thumbnails are float32 `[27, 48, 3]`, RGB 0–1, the whole picture area-averaged whatever its shape. */
export const thumbnailSize: Size = { width: 48, height: 27 };

/** How a picture becomes a detector's input: float32 `[1, 3, height, width]`, aspect kept, centred on padding. */
export type LetterboxSpec = Size & {
  readonly channelOrder: 'rgb' | 'bgr';
  /** Value of the padding, 0–255 before scaling. */
  readonly padValue: number;
  /** Factor from 0–255 to the model's range. */
  readonly scale: number;
};

/** How grey crops are cut: float32 `[N, height, width]`, 0–255, bilinear at half-pixel centres. */
export type CropSpec = Size & {
  /** Grey value outside of the picture. */
  readonly padValue: number;
};

/** Grey copy of one frame, kept while face boxes settle; whoever asked for the copy closes it. */
export interface GreyPicture {
  /**
   * One crop per box (pixels of the displayed frame, not necessarily inside it): float32 `[boxes, height, width]`.
   * Always in memory: the speaker model takes runs of crops that come from many pictures.
   */
  faceCrops(boxes: readonly PixelBox[], spec: CropSpec): Promise<Float32Array>;
  close(): void;
}

/** One frame's pixels, read once and upright; whoever opened the picture closes it. */
export interface Picture {
  thumbnail(): Promise<Float32Array>;
  letterbox(spec: LetterboxSpec): Promise<Sample>;
  /**
   * The brightness of the whole picture at another size, area-averaged: uint8 `[height, width]`, 0 black, 255 white.
   * Always in memory.
   */
  luma(size: Size): Promise<Uint8Array>;
  /**
   * A part of the picture at another size, in colour: float32 `[height, width, 3]`, RGB 0–255. Always in memory.
   *
   * @param box - Pixels of the displayed frame; beyond the edges the outermost pixels repeat.
   */
  part(box: PixelBox, size: Size): Promise<Float32Array>;
  /** A grey copy (at most 1080 lines) that outlives this picture. */
  grey(): Promise<GreyPicture>;
  close(): void;
}

/**
 * The only reader of pixels for models. `open` copies what it needs, so the VideoFrame may be closed as soon
 * as `open` resolves.
 */
export interface Sampler {
  readonly kind: 'cpu' | 'webgpu';
  /** @param display - Displayed size and the rotation that leads to it (media's `Display`). */
  open(frame: VideoFrame, display: Size & { readonly rotationDeg: 0 | 90 | 180 | 270 }): Promise<Picture>;
  close(): void;
}
