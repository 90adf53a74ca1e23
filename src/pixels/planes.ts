import type { Size } from '../schema/geometry.js';
import type { ColourSpace } from './colour.js';
import type { Taps } from './taps.js';
import { bilinearTaps, composeTaps } from './taps.js';

/** One direction of a plane. */
export type Axis = {
  /** Samples. */
  readonly length: number;
  /** Array elements from one sample to the next; negative where the picture was turned. */
  readonly step: number;
  /** Picture pixels per sample. */
  readonly subsampling: number;
  /** Pixels that the first sample covers before the picture begins: 1 where an odd edge cuts a chroma sample. */
  readonly phase: number;
};

/** One colour plane, upright: sample (x, y) is `data[offset + x · x.step + y · y.step]`. */
export type Plane = {
  readonly data: Uint8Array | Uint16Array;
  readonly offset: number;
  readonly x: Axis;
  readonly y: Axis;
};

/** Y, U, V or R, G, B of one upright picture in memory. */
export type Planes = {
  readonly planes: readonly [Plane, Plane, Plane];
  /** Pixels of the first plane, after rotation, before pixel aspect. */
  readonly size: Size;
  /** Displayed size: what box coordinates count in. */
  readonly display: Size;
  readonly colour: ColourSpace;
};

/** Formats that are read as they are; all others are converted by the browser. */
export type PixelFormat = keyof typeof layouts;

/** Per format: bits, and for each of the three planes the memory plane, first element, step and subsampling. */
const layouts = {
  I420: yuv(8, 2, 2),
  I420A: yuv(8, 2, 2),
  I422: yuv(8, 2, 1),
  I422A: yuv(8, 2, 1),
  I444: yuv(8, 1, 1),
  I444A: yuv(8, 1, 1),
  I420P10: yuv(10, 2, 2),
  I422P10: yuv(10, 2, 1),
  I444P10: yuv(10, 1, 1),
  I420P12: yuv(12, 2, 2),
  NV12: {
    bits: 8,
    parts: [
      { memory: 0, first: 0, step: 1, across: 1, down: 1 },
      { memory: 1, first: 0, step: 2, across: 2, down: 2 },
      { memory: 1, first: 1, step: 2, across: 2, down: 2 },
    ],
  },
  RGBA: rgb(0, 1, 2),
  RGBX: rgb(0, 1, 2),
  BGRA: rgb(2, 1, 0),
  BGRX: rgb(2, 1, 0),
} as const;

type Layout = { readonly bits: number; readonly parts: readonly Part[] };
type Part = {
  readonly memory: number;
  readonly first: number;
  readonly step: number;
  readonly across: number;
  readonly down: number;
};

function yuv(bits: number, across: number, down: number): Layout {
  const part = (memory: number, x: number, y: number) => ({ memory, first: 0, step: 1, across: x, down: y });
  return { bits, parts: [part(0, 1, 1), part(1, across, down), part(2, across, down)] };
}

function rgb(...firsts: number[]): Layout {
  return { bits: 8, parts: firsts.map(first => ({ memory: 0, first, step: 4, across: 1, down: 1 })) };
}

/** Whether planes of this format can be read as they are. */
export const isPixelFormat = (format: string | null): format is PixelFormat =>
  format !== null && format in layouts;

/** Bits per sample. */
export const bitsOf = (format: PixelFormat): number => layouts[format].bits;

/** Whether the samples are R, G, B. */
export const isRgbFormat = (format: PixelFormat): boolean => /^(RGB|BGR)/.test(format);

/** Coded pixels in memory, as `VideoFrame.copyTo` or ffmpeg leave them. */
export type CodedPixels = {
  readonly format: PixelFormat;
  readonly data: Uint8Array;
  /** Bytes: where each memory plane starts in `data`, and from one of its rows to the next. */
  readonly layout: readonly { readonly offset: number; readonly stride: number }[];
  /** Visible pixels, before rotation. */
  readonly size: Size;
  /** Pixels of `data` left of and above the visible ones; below the subsampling. Default 0. */
  readonly phaseX?: number;
  readonly phaseY?: number;
  readonly colour: ColourSpace;
  readonly display: Size & { readonly rotationDeg: 0 | 90 | 180 | 270 };
};

/** The three planes of coded pixels, turned upright by their steps: nothing is copied. */
export function planesOf(coded: CodedPixels): Planes {
  const { bits, parts } = layouts[coded.format] as Layout;
  const bytes = bits > 8 ? 2 : 1;
  const data =
    bytes === 2
      ? new Uint16Array(coded.data.buffer, coded.data.byteOffset, coded.data.byteLength >> 1)
      : coded.data;
  const { width, height } = coded.size;
  const planes = parts.map(({ memory, first, step, across, down }): Plane => {
    const { offset, stride } = coded.layout[memory]!;
    // Where chroma is not subsampled the pixels before the visible ones are skipped whole.
    const phaseX = (coded.phaseX ?? 0) % across;
    const phaseY = (coded.phaseY ?? 0) % down;
    const skipped =
      (((coded.phaseX ?? 0) - phaseX) / across) * step +
      ((((coded.phaseY ?? 0) - phaseY) / down) * stride) / bytes;
    const x = { length: Math.ceil((width + phaseX) / across), step, subsampling: across, phase: phaseX };
    const y = {
      length: Math.ceil((height + phaseY) / down),
      step: stride / bytes,
      subsampling: down,
      phase: phaseY,
    };
    return upright({ data, offset: offset / bytes + first + skipped, x, y }, coded.size, coded.display);
  });
  const turned = coded.display.rotationDeg % 180 !== 0;
  return {
    planes: planes as unknown as Planes['planes'],
    size: turned ? { width: height, height: width } : { width, height },
    display: { width: coded.display.width, height: coded.display.height },
    colour: coded.colour,
  };
}

/** A plane whose rows follow each other in memory, with a sample per pixel. */
export const contiguousPlane = (data: Plane['data'], { width, height }: Size): Plane => ({
  data,
  offset: 0,
  x: { length: width, step: 1, subsampling: 1, phase: 0 },
  y: { length: height, step: width, subsampling: 1, phase: 0 },
});

function upright(plane: Plane, { width, height }: Size, { rotationDeg }: CodedPixels['display']): Plane {
  const { data, offset, x, y } = plane;
  const lastX = x.step * (x.length - 1);
  const lastY = y.step * (y.length - 1);
  // Clockwise by 90°: the left column, read upwards, becomes the top row.
  if (rotationDeg === 90) return { data, offset: offset + lastY, x: flipped(y, height), y: x };
  if (rotationDeg === 270) return { data, offset: offset + lastX, x: y, y: flipped(x, width) };
  if (rotationDeg === 180)
    return { data, offset: offset + lastX + lastY, x: flipped(x, width), y: flipped(y, height) };
  return plane;
}

const flipped = (axis: Axis, pixels: number): Axis => ({
  ...axis,
  step: -axis.step,
  phase: axis.subsampling * axis.length - pixels - axis.phase,
});

/**
 * Turns a map over picture pixels into one over the samples of a plane: subsampled chroma is first interpolated
 * bilinearly to every pixel (samples sit in the middle of the pixels they cover, as GPUs read them).
 *
 * @param pixels - Picture pixels along this axis.
 */
export function tapsOnAxis(taps: Taps, axis: Axis, pixels: number): Taps {
  if (axis.subsampling === 1) return taps;
  const step = 1 / axis.subsampling;
  const toPixels = { from: axis.phase * step, step, outputs: pixels, inputs: axis.length };
  return composeTaps(taps, bilinearTaps(toPixels));
}
