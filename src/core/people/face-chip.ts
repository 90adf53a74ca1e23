import type { PixelBox, PixelPoint, Size } from '../../schema/geometry.js';

/** Pixels on each side of the picture of a face that is described. */
export const chipPx = 150;

/**
 * Where the eyes, the tip of the nose and the corners of the mouth lie in a chip: in the mean face of dlib
 * (`image_transforms/interpolation.h`, the eyes as the mean of their six points), with a quarter of its size around it,
 * as the network saw faces when it was trained.
 */
const places: readonly PixelPoint[] = [
  { x: 47.55, y: 46.6 },
  { x: 100.48, y: 46.6 },
  { x: 74.01, y: 76.56 },
  { x: 50.41, y: 103.02 },
  { x: 97.61, y: 103.02 },
];

/** How a face lies in a frame: what turns, scales and moves a chip onto it. */
export type ChipPlace = {
  /** Where the middle of the chip lies, in pixels of the displayed frame. */
  readonly middle: PixelPoint;
  /** One chip pixel to the right, in the same pixels. */
  readonly across: PixelPoint;
  /** How far landmarks are from where a frontal face has them: root mean square, in chip pixels. */
  readonly misfitPx: number;
};

/**
 * The similarity (least squares) that brings the mean face onto a face.
 *
 * @param landmarks - Five, as a `Detection` has them.
 * @returns Undefined where there are fewer, or where they lie in one point.
 */
export function chipPlaceOf(landmarks: readonly PixelPoint[]): ChipPlace | undefined {
  if (landmarks.length < places.length) return undefined;
  const points = landmarks.slice(0, places.length);
  const [from, to] = [meanOf(places), meanOf(points)];
  let [dot, cross, spread] = [0, 0, 0];
  points.forEach((point, i) => {
    const [qx, qy] = [places[i]!.x - from.x, places[i]!.y - from.y];
    const [px, py] = [point.x - to.x, point.y - to.y];
    dot += qx * px + qy * py;
    cross += qx * py - qy * px;
    spread += qx * qx + qy * qy;
  });
  const across = { x: dot / spread, y: cross / spread };
  const scale = Math.hypot(across.x, across.y);
  if (!(scale > 0)) return undefined;
  const onFace = ({ x, y }: PixelPoint): PixelPoint => ({
    x: to.x + across.x * (x - from.x) - across.y * (y - from.y),
    y: to.y + across.y * (x - from.x) + across.x * (y - from.y),
  });
  let misfit = 0;
  points.forEach((point, i) => {
    const meant = onFace(places[i]!);
    misfit += (point.x - meant.x) ** 2 + (point.y - meant.y) ** 2;
  });
  const middle = onFace({ x: chipPx / 2, y: chipPx / 2 });
  return { middle, across, misfitPx: Math.sqrt(misfit / points.length) / scale };
}

/** The upright part of the frame that holds a chip, at the chip's own resolution. */
export function partOfChip({ middle, across }: ChipPlace): { readonly box: PixelBox; readonly size: Size } {
  const scale = Math.hypot(across.x, across.y);
  // A square that is turned needs a wider one around it, and two pixels more to interpolate from.
  const sidePx = Math.ceil((chipPx * (Math.abs(across.x) + Math.abs(across.y))) / scale) + 2;
  const side = sidePx * scale;
  return {
    box: { x: middle.x - side / 2, y: middle.y - side / 2, width: side, height: side },
    size: { width: sidePx, height: sidePx },
  };
}

/**
 * Turns what {@link partOfChip} asked for into the chip, bilinear.
 *
 * @param part - `[side, side, 3]`, 0–255.
 * @returns uint8 `[3, 150, 150]`, RGB.
 */
export function turnChip(part: Float32Array, place: ChipPlace): Uint8Array {
  const { width: side } = partOfChip(place).size;
  const scale = Math.hypot(place.across.x, place.across.y);
  const [cos, sin] = [place.across.x / scale, place.across.y / scale];
  const area = chipPx * chipPx;
  const chip = new Uint8Array(3 * area);
  for (let v = 0, to = 0; v < chipPx; v++) {
    const dy = v + 0.5 - chipPx / 2;
    for (let u = 0; u < chipPx; u++, to++) {
      const dx = u + 0.5 - chipPx / 2;
      const x = side / 2 - 0.5 + cos * dx - sin * dy;
      const y = side / 2 - 0.5 + sin * dx + cos * dy;
      const [left, top] = [Math.floor(x), Math.floor(y)];
      const [right, down] = [x - left, y - top];
      const at = 3 * (top * side + left);
      for (let c = 0; c < 3; c++) {
        const above = part[at + c]! * (1 - right) + part[at + 3 + c]! * right;
        const below = part[at + 3 * side + c]! * (1 - right) + part[at + 3 * side + 3 + c]! * right;
        chip[c * area + to] = above * (1 - down) + below * down + 0.5;
      }
    }
  }
  return chip;
}

const meanOf = (points: readonly PixelPoint[]): PixelPoint => ({
  x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
  y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
});
