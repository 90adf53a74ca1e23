import { lumaWeights, toRgbOf } from '../pixels/colour.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Axis, Plane, Planes } from '../pixels/planes.js';
import { contiguousPlane } from '../pixels/planes.js';
import { resized } from '../pixels/resample.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import { wholeMaps } from './picture-maps.js';
import type { CropSpec, GreyPicture } from './sampler.js';

/**
 * The shorter side of a grey copy has at most this many pixels: "1080 lines" whichever way the camera was held.
 * A face crop of 112 pixels gains nothing from more.
 */
const maxLines = 1080;

/** Size of the grey copy of an upright picture. */
export function greySizeOf({ width, height }: Size): Size {
  const ratio = Math.min(1, maxLines / Math.min(width, height));
  return { width: Math.round(width * ratio), height: Math.round(height * ratio) };
}

/** Maps from an upright picture to its grey copy. */
export const greyMaps = (size: Size): PlaneMaps => wholeMaps(size, greySizeOf(size));

/** A grey copy in memory; its plane belongs to nobody else. */
export function greyOf(planes: Planes): GreyPicture {
  const size = greySizeOf(planes.size);
  const isSmaller = size.width < planes.size.width;
  let plane: Plane | undefined =
    planes.colour.matrix === 'rgb'
      ? greyPlane(planes)
      : isSmaller
        ? planes.planes[0]
        : copied(planes.planes[0]);
  if (isSmaller) plane = resized(plane, greyMaps(planes.size));
  const { luma, black } = toRgbOf(planes.colour);
  return {
    async faceCrops(boxes, spec) {
      if (!plane) throw new TypeError('The grey picture is closed.');
      const data = new Float32Array(boxes.length * spec.width * spec.height);
      for (const [i, box] of boxes.entries())
        crop({ plane, size, display: planes.display, luma, black }, box, spec, data, i);
      return data;
    },
    close() {
      plane = undefined;
    },
  };
}

/** The span of memory that the plane covers, copied as it lies: turning happens when crops are cut. */
function copied(plane: Plane): Plane {
  const reach = (axis: Axis) => axis.step * (axis.length - 1);
  const low = plane.offset + Math.min(0, reach(plane.x)) + Math.min(0, reach(plane.y));
  const high = plane.offset + Math.max(0, reach(plane.x)) + Math.max(0, reach(plane.y));
  return { ...plane, data: plane.data.slice(low, high + 1), offset: plane.offset - low };
}

/** The brightness of RGB planes. */
export function greyPlane({ planes, size, colour }: Planes): Plane {
  const [red, green, blue] = planes;
  const [redShare, greenShare, blueShare] = lumaWeights(colour.matrix);
  const data = new Uint8Array(size.width * size.height);
  for (let y = 0, to = 0; y < size.height; y++) {
    let r = red.offset + y * red.y.step;
    let g = green.offset + y * green.y.step;
    let b = blue.offset + y * blue.y.step;
    for (let x = 0; x < size.width; x++, r += red.x.step, g += green.x.step, b += blue.x.step)
      data[to++] = red.data[r]! * redShare + green.data[g]! * greenShare + blue.data[b]! * blueShare + 0.5;
  }
  return contiguousPlane(data, size);
}

type Grey = {
  readonly plane: Plane;
  readonly size: Size;
  readonly display: Size;
  /** From stored samples to full range. */
  readonly luma: number;
  readonly black: number;
};

/** Reads one box at half-pixel centres; neighbours outside of the picture count as the padding. */
function crop(
  { plane, size, display, luma, black }: Grey,
  box: PixelBox,
  spec: CropSpec,
  out: Float32Array,
  index: number,
): void {
  const xs = pairs(box.x, box.width, spec.width, size.width / display.width, plane.x);
  const ys = pairs(box.y, box.height, spec.height, size.height / display.height, plane.y);
  const { data, offset } = plane;
  const full = (stored: number) => Math.min(255, Math.max(0, (stored - black) * luma));
  let to = index * spec.width * spec.height;
  for (let j = 0; j < spec.height; j++) {
    const top = offset + ys.at[2 * j]!;
    const bottom = offset + ys.at[2 * j + 1]!;
    const topWeight = ys.weight[2 * j]!;
    const bottomWeight = ys.weight[2 * j + 1]!;
    const inRows = topWeight + bottomWeight;
    for (let i = 0; i < spec.width; i++) {
      const left = xs.at[2 * i]!;
      const right = xs.at[2 * i + 1]!;
      const leftWeight = xs.weight[2 * i]!;
      const rightWeight = xs.weight[2 * i + 1]!;
      out[to++] =
        topWeight * (leftWeight * full(data[top + left]!) + rightWeight * full(data[top + right]!)) +
        bottomWeight * (leftWeight * full(data[bottom + left]!) + rightWeight * full(data[bottom + right]!)) +
        spec.padValue * (1 - inRows * (leftWeight + rightWeight));
    }
  }
}

/** The two samples of each output along one axis; the weight of a sample outside of the picture is 0. */
function pairs(from: number, length: number, outputs: number, scale: number, axis: Axis) {
  const at = new Int32Array(2 * outputs);
  const weight = new Float64Array(2 * outputs);
  for (let i = 0; i < outputs; i++) {
    const centre = (from + ((i + 0.5) * length) / outputs) * scale - 0.5;
    const first = Math.floor(centre);
    for (const k of [0, 1]) {
      const sample = first + k;
      if (sample < 0 || sample >= axis.length) continue;
      at[2 * i + k] = sample * axis.step;
      weight[2 * i + k] = k ? centre - first : 1 - (centre - first);
    }
  }
  return { at, weight };
}
