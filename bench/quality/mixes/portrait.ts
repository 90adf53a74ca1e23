/** How the rest of a person looks; the pack keeps only the lower face. Luma in 0–255. */
export type Looks = { readonly hair: number; readonly clothes: number; readonly wall: number };

/** A picture of one person: its size, and centre and height of the face's box in it, in pixels. */
export type PortraitShape = {
  readonly width: number;
  readonly height: number;
  readonly faceX: number;
  readonly faceY: number;
  readonly facePx: number;
};

/** Side of a crop in heights of its face's box: LR-ASD's rule cuts ±0.7 half heights around the centre. */
const cropSide = 0.7;
/** Upper edge of a crop over the centre of the face's box, in heights: 0.3 half heights. */
const cropTop = 0.15;
/** Width of a face's box in heights: what the face detector finds in these portraits. */
export const faceAspect = 0.76;
/** Cells per side of the coarse crop that forehead, cheeks and neck are made of. */
const cells = 7;

/** The side in pixels to which crops are scaled for a face of this height. */
export const cropSidePx = (facePx: number): number => Math.max(8, Math.round(cropSide * facePx));

/** A pixel that depends on the crop: how much of it is skin and crop, and where to read both. */
type Live = {
  readonly at: number;
  readonly base: number;
  readonly skin: number;
  readonly cellU: number;
  readonly cellV: number;
  readonly crop: number;
  readonly u: number;
  readonly v: number;
};

/**
 * Draws a head around a crop of its lower face: forehead, cheeks and neck are its own colours, blurred, and behind
 * them are hair, clothes and a wall. A detector wants a whole head; the mouth and all around it are the recorded
 * pixels.
 *
 * @returns Draws one crop (`side × side` luma); the picture is overwritten by the next call.
 */
export function createPortrait(shape: PortraitShape, looks: Looks): (crop: ArrayLike<number>) => Uint8Array {
  const { width, height, faceX, faceY, facePx } = shape;
  const side = cropSidePx(facePx);
  const picture = new Uint8Array(width * height);
  const live: Live[] = [];
  for (let y = 0; y < height; y++) {
    const dy = (y + 0.5 - faceY) / facePx;
    for (let x = 0; x < width; x++) {
      const dx = (x + 0.5 - faceX) / facePx;
      const base = behind(dx, dy, { ...looks, wall: looks.wall * (1.1 - (0.25 * y) / height) });
      const skin = skinAt(dx, dy);
      const u = x + 0.5 - faceX + side / 2;
      const v = y + 0.5 - faceY + cropTop * facePx;
      const crop = smoothStep(Math.min(u, side - u, v, side - v) / side, 0, 0.09);
      const at = y * width + x;
      picture[at] = base;
      if (skin <= 0 && crop <= 0) continue;
      // The outer cells hold collar and hair; what is above the eyes takes the cheeks' colour.
      const cellU = Math.min(cells - 2, Math.max(1, (u / side) * cells - 0.5));
      const cellV = Math.max(2, (v / side) * cells - 0.5);
      live.push({ at, base, skin, cellU, cellV, crop, u: u - 0.5, v: v - 0.5 });
    }
  }
  return crop => {
    const coarse = shrink(crop, side);
    for (const { at, base, skin, cellU, cellV, crop: share, u, v } of live) {
      const around = skin > 0 ? mix(base, sample(coarse, cells, cellU, cellV), skin) : base;
      picture[at] = share > 0 ? mix(around, sample(crop, side, u, v), share) : around;
    }
    return picture;
  };
}

/** Wall, clothes and hair at a place that is given in face heights from the face's centre. */
function behind(dx: number, dy: number, { wall, clothes, hair }: Looks): number {
  const body = 1 - smoothStep(Math.hypot(dx / 0.95, (dy - 1.35) / 0.68), 0.95, 1.02);
  const head = 1 - smoothStep(Math.hypot(dx / 0.5, (dy + 0.1) / 0.66), 0.92, 1.04);
  return mix(mix(wall, clothes, body), hair, head);
}

/** An oval face, its forehead a little higher than its chin is low, and a neck. */
function skinAt(dx: number, dy: number): number {
  const face = 1 - smoothStep(Math.hypot(dx / 0.4, dy / (dy < 0 ? 0.58 : 0.53)), 0.88, 1.04);
  const neck = dy > 0 ? 1 - smoothStep(Math.hypot(dx / 0.24, Math.max(0, dy - 0.5) / 0.35), 0.85, 1.1) : 0;
  return Math.max(face, neck);
}

function shrink(crop: ArrayLike<number>, side: number): Float32Array {
  const sum = new Float32Array(cells * cells);
  const count = new Float32Array(cells * cells);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const cell = Math.floor((y * cells) / side) * cells + Math.floor((x * cells) / side);
      sum[cell]! += crop[y * side + x]!;
      count[cell]!++;
    }
  return sum.map((value, i) => value / count[i]!);
}

/** Linear between the four nearest values, edges held. */
function sample(values: ArrayLike<number>, side: number, u: number, v: number): number {
  const x = Math.min(side - 1, Math.max(0, u));
  const y = Math.min(side - 1, Math.max(0, v));
  const x0 = Math.min(side - 2, Math.floor(x));
  const y0 = Math.min(side - 2, Math.floor(y));
  const i = y0 * side + x0;
  const upper = mix(values[i]!, values[i + 1]!, x - x0);
  const lower = mix(values[i + side]!, values[i + side + 1]!, x - x0);
  return mix(upper, lower, y - y0);
}

const mix = (from: number, to: number, ratio: number) => from + (to - from) * ratio;

/** From 0 below `low` to 1 above `high`. */
function smoothStep(value: number, low: number, high: number): number {
  const t = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return t * t * (3 - 2 * t);
}
