import type { Detection } from '../core/detection.js';
import type { Letterbox } from '../core/letterbox.js';
import type { LetterboxSpec, Sample } from '../sampling/sampler.js';
import type { Size } from '../schema/geometry.js';

/** Finds the faces of one picture. */
export interface FaceDetector {
  /** The model's id, as results name it. */
  readonly name: string;
  /**
   * How the sampler must prepare a picture of this displayed size.
   *
   * @param longSide - Input pixels along the picture's longer side, a multiple of 32; larger finds smaller faces.
   */
  inputSpec(display: Size, longSide?: number): LetterboxSpec;
  /**
   * Measures: every candidate above a low floor, overlaps suppressed, surest first, in pixels of the displayed
   * picture, not clipped to it. What counts as a face is the track analyser's business. The caller releases `sample`.
   */
  detect(sample: Sample, display: Size): Promise<Detection[]>;
  close(): Promise<void>;
}

/** What both decoders take for granted; nothing here decides what is a face. */
export const measurement = {
  /** Candidates below are not worth carrying: far below the trackers' lower threshold. */
  floor: 0.1,
  /** Boxes of one face overlap more than this; the value both models were published with. */
  maxIou: 0.5,
} as const;

/** Long side of the input in pixels: finds faces of 16 pixels in 640-pixel video. */
export const defaultLongSide = 640;

/**
 * The smallest input whose sides are multiples of 32 and that holds the picture at `longSide`:
 * 16:9 gives 640×384, where a square input would spend two fifths of the work on padding.
 *
 * @throws RangeError when `longSide` is not a positive multiple of 32.
 */
export function inputSizeOf(display: Size, longSide: number = defaultLongSide): Size {
  if (!(longSide > 0) || longSide % 32 !== 0) {
    throw new RangeError(`longSide must be a positive multiple of 32, not ${longSide}`);
  }
  const long = Math.max(display.width, display.height);
  // The slack keeps a side that is exact but for floating point from taking another 32 pixels.
  const snap = (side: number) => Math.max(32, Math.ceil((side * longSide) / long / 32 - 1e-6) * 32);
  return { width: snap(display.width), height: snap(display.height) };
}

/** A detection in input pixels brought back to pixels of the displayed picture. */
export function toDisplay(detection: Detection, { scale, offsetX, offsetY }: Letterbox): Detection {
  const { landmarks, ...box } = detection;
  return {
    ...box,
    x: (box.x - offsetX) / scale,
    y: (box.y - offsetY) / scale,
    width: box.width / scale,
    height: box.height / scale,
    ...(landmarks && {
      landmarks: landmarks.map(point => ({ x: (point.x - offsetX) / scale, y: (point.y - offsetY) / scale })),
    }),
  };
}
