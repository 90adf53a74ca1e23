import { type Canvas, type Rgb, ycbcrOf } from './brush.js';
import type { Overlay } from './compositor.js';

/** Lays an overlay onto a finished picture. */
export type OverlayBrush = (canvas: Canvas) => void;

/** A plane of the overlay: what is kept of the picture's samples, and what is added to them. */
type Blend = {
  readonly keep: Float32Array;
  readonly add: Float32Array;
  /** First sample of each row that is touched, and the one after the last: most of a caption is clear. */
  readonly spans: readonly (readonly [from: number, to: number])[];
};

/** Turns the overlay into planes of BT.709 once, chroma as means of four pixels, so that a frame is blended in one pass. */
export function createOverlayBrush({ box, rgba }: Overlay): OverlayBrush {
  const { width, height } = box;
  const luma = emptyBlend(width * height);
  const [u, v] = [emptyBlend((width * height) / 4), emptyBlend((width * height) / 4)];
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++, at++) {
      const share = rgba[4 * at + 3]! / 255;
      if (!share) continue;
      const rgb: Rgb = [rgba[4 * at]! / 255, rgba[4 * at + 1]! / 255, rgba[4 * at + 2]! / 255];
      const [bright, blue, red] = ycbcrOf(rgb);
      mix(luma, at, share, bright);
      const chroma = (y >> 1) * (width / 2) + (x >> 1);
      mix(u, chroma, share / 4, blue);
      mix(v, chroma, share / 4, red);
    }
  const planes = [luma, u, v].map((blend, i) => ({
    ...blend,
    spans: spansOf(blend.keep, i ? width / 2 : width),
  }));
  return ({ data, size }) => {
    const area = size.width * size.height;
    planes.forEach((blend, plane) => {
      const step = plane ? 2 : 1;
      const stride = size.width / step;
      const first = plane && area + ((plane - 1) * area) / 4;
      blendPlane(data, first + (box.y / step) * stride + box.x / step, stride, blend, width / step);
    });
  };
}

const emptyBlend = (length: number) => ({
  keep: new Float32Array(length).fill(1),
  add: new Float32Array(length),
});

function mix({ keep, add }: Pick<Blend, 'keep' | 'add'>, at: number, share: number, value: number): void {
  keep[at]! -= share;
  add[at]! += share * value;
}

function spansOf(keep: Float32Array, width: number): [number, number][] {
  return Array.from({ length: keep.length / width }, (_, row) => {
    const line = keep.subarray(row * width, (row + 1) * width);
    const from = line.findIndex(share => share !== 1);
    return from < 0 ? [0, 0] : [from, line.findLastIndex(share => share !== 1) + 1];
  });
}

function blendPlane(
  data: Uint8ClampedArray,
  corner: number,
  stride: number,
  { keep, add, spans }: Blend,
  width: number,
): void {
  spans.forEach(([from, to], row) => {
    const at = corner + row * stride;
    for (let x = from, k = row * width + from; x < to; x++, k++)
      data[at + x] = data[at + x]! * keep[k]! + add[k]!;
  });
}
