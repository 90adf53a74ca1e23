import { letterboxOf } from '../core/letterbox.js';
import { toRgbOf } from '../pixels/colour.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import { createCache, mapsFor, shapeOf } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { planesOf } from '../pixels/planes.js';
import { readPixels } from '../pixels/read-planes.js';
import { resample } from '../pixels/resample.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import { greyOf, greyPlane } from './grey.js';
import { letterboxMaps, partMaps, wholeMaps } from './picture-maps.js';
import type { LetterboxSpec, Picture, Sampler } from './sampler.js';
import { thumbnailSize } from './sampler.js';

/** Frame buffers kept for the next frames: as many pictures as are usually open at once. */
const sparePictures = 2;
/** A job has one source and two or three model inputs. */
const mapsOf = createCache<[PlaneMaps, PlaneMaps]>(12);

/** Reads the planes that `copyTo` gives with plain loops: without a GPU faster than any canvas. */
export function createCpuSampler(): Sampler {
  const spare: Uint8Array[] = [];
  return {
    kind: 'cpu',
    async open(frame, display) {
      const pixels = await readPixels(frame, display, sizeBytes => {
        const kept = spare.pop();
        return kept && kept.byteLength >= sizeBytes ? kept : new Uint8Array(sizeBytes);
      });
      return pictureFromPlanes(planesOf(pixels), () => {
        if (spare.length < sparePictures) spare.push(pixels.data);
      });
    },
    close() {
      spare.length = 0;
    },
  };
}

/**
 * A picture on planes in memory, without a VideoFrame: for Node, where decoded planes come from elsewhere.
 *
 * @param planes - Must not change until the picture is closed.
 * @param release - Called once, when the planes are no longer read.
 */
export function pictureFromPlanes(planes: Planes, release?: () => void): Picture {
  let isOpen = true;
  const checked = () => {
    if (!isOpen) throw new TypeError('The picture is closed.');
    return planes;
  };
  return {
    thumbnail: async () => thumbnailOf(checked()),
    letterbox: async spec => ({
      kind: 'cpu',
      dims: [1, 3, spec.height, spec.width],
      data: letterboxed(checked(), spec),
    }),
    luma: async size => lumaOf(checked(), size),
    part: async (box, size) => partOf(checked(), box, size),
    grey: async () => greyOf(checked()),
    close() {
      if (isOpen) release?.();
      isOpen = false;
    },
  };
}

function thumbnailOf(planes: Planes): Float32Array {
  const small = shrink(planes, thumbnailSize, () => wholeMaps(planes.size, thumbnailSize));
  const count = thumbnailSize.width * thumbnailSize.height;
  const out = new Float32Array(3 * count);
  const target = { out, first: 0, stepX: 3, stepY: 3 * thumbnailSize.width, channels: [0, 1, 2] as const };
  paint(small, planes, thumbnailSize, { ...target, scale: 1 / 255 });
  return out;
}

function lumaOf(planes: Planes, { width, height }: Size): Uint8Array {
  const [maps] = mapsOf(`${shapeOf(planes)} ${width} ${height} whole`, () =>
    mapsFor(planes, wholeMaps(planes.size, { width, height })),
  );
  const stored = new Float32Array(width * height);
  const plane = planes.colour.matrix === 'rgb' ? greyPlane(planes) : planes.planes[0];
  resample(plane, maps, { data: stored, offset: 0, stride: width });
  const { luma, black } = toRgbOf(planes.colour);
  return new Uint8Array(Uint8ClampedArray.from(stored, value => (value - black) * luma));
}

function partOf(planes: Planes, box: PixelBox, size: Size): Float32Array {
  // Not kept in the cache: no two parts are alike.
  const small = resampled(planes, size, mapsFor(planes, partMaps(planes, box, size)));
  const out = new Float32Array(3 * size.width * size.height);
  const target = { out, first: 0, stepX: 3, stepY: 3 * size.width, channels: [0, 1, 2] as const };
  paint(small, planes, size, { ...target, scale: 1 });
  return out;
}

function letterboxed(planes: Planes, spec: LetterboxSpec): Float32Array {
  const box = letterboxOf(planes.display, spec);
  const content = shrink(planes, box, () => letterboxMaps(planes, box));
  const area = spec.width * spec.height;
  const out = new Float32Array(3 * area).fill(spec.padValue * spec.scale);
  paint(content, planes, box, {
    out,
    first: box.offsetY * spec.width + box.offsetX,
    stepX: 1,
    stepY: spec.width,
    channels: spec.channelOrder === 'rgb' ? [0, area, 2 * area] : [2 * area, area, 0],
    scale: spec.scale,
  });
  return out;
}

/** The three planes at the size asked for, as stored values. */
function shrink(planes: Planes, size: Size, make: () => PlaneMaps): Float32Array[] {
  const key = `${shapeOf(planes)} ${size.width} ${size.height}`;
  return resampled(
    planes,
    size,
    mapsOf(key, () => mapsFor(planes, make())),
  );
}

function resampled(
  { planes }: Planes,
  { width, height }: Size,
  [luma, chroma]: readonly [PlaneMaps, PlaneMaps],
): Float32Array[] {
  return planes.map((plane, i) => {
    const data = new Float32Array(width * height);
    resample(plane, i ? chroma : luma, { data, offset: 0, stride: width });
    return data;
  });
}

type Paint = {
  readonly out: Float32Array;
  /** Element of the first pixel, and from one pixel and row to the next. */
  readonly first: number;
  readonly stepX: number;
  readonly stepY: number;
  /** Elements from a pixel's place to its red, green and blue. */
  readonly channels: readonly [number, number, number];
  readonly scale: number;
};

/** Converts small planes to RGB, clamped to 0–255 before scaling. */
function paint(small: Float32Array[], { colour }: Planes, { width, height }: Size, to: Paint): void {
  const [first, second, third] = small as [Float32Array, Float32Array, Float32Array];
  const { luma, black, grey, redV, greenU, greenV, blueU } = toRgbOf(colour);
  const { out, stepX, scale } = to;
  const [red, green, blue] = to.channels;
  const isRgb = colour.matrix === 'rgb';
  for (let y = 0, from = 0; y < height; y++) {
    let at = to.first + y * to.stepY;
    for (let x = 0; x < width; x++, from++, at += stepX) {
      let r = first[from]!;
      let g = second[from]!;
      let b = third[from]!;
      if (!isRgb) {
        const bright = (r - black) * luma;
        const u = g - grey;
        const v = b - grey;
        r = bright + redV * v;
        g = bright + greenU * u + greenV * v;
        b = bright + blueU * u;
      }
      out[at + red] = Math.min(255, Math.max(0, r)) * scale;
      out[at + green] = Math.min(255, Math.max(0, g)) * scale;
      out[at + blue] = Math.min(255, Math.max(0, b)) * scale;
    }
  }
}
