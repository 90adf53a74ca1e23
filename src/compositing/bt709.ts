import type { ColourSpace } from '../pixels/colour.js';
import { lumaWeights, toRgbOf } from '../pixels/colour.js';
import type { Plane, Planes } from '../pixels/planes.js';
import { contiguousPlane } from '../pixels/planes.js';

/** A picture whose chroma is BT.709, in range and depth as stored. */
export type Bt709Planes = Omit<Planes, 'colour'> & {
  readonly lumaColour: ColourSpace;
  readonly chromaColour: ColourSpace;
  /** What is still to be added to luma, at chroma resolution: `shiftZero + shiftUnit · levels of 255`. */
  readonly lumaShift?: Plane;
};

export const shiftZero = 128;
/** The shift stays within ±43 levels for every matrix here; two units each keep half a level. */
export const shiftUnit = 2;

/**
 * Brings a picture to BT.709 at its own resolution, where there are fewest pixels. BT.709 in any range stays as
 * it is. Between two YCbCr matrices grey stays grey, so the new chroma follows from the old chroma alone and luma
 * moves by a sum of both chroma values.
 */
export function toBt709({ colour, ...picture }: Planes): Bt709Planes {
  if (colour.matrix === 'bt709') return { ...picture, lumaColour: colour, chromaColour: colour };
  return colour.matrix === 'rgb' ? fromRgb(picture) : fromYuv(picture, colour);
}

const limited = { matrix: 'bt709', range: 'limited', bits: 8 } as const;
const to = toRgbOf(limited);
const [redShare, greenShare, blueShare] = lumaWeights('bt709');

function fromRgb({ planes: [red, green, blue], size, display }: Omit<Planes, 'colour'>): Bt709Planes {
  const luma = new Uint8ClampedArray(size.width * size.height);
  const u = new Uint8ClampedArray(luma.length);
  const v = new Uint8ClampedArray(luma.length);
  for (let y = 0, at = 0; y < size.height; y++) {
    let r = red.offset + y * red.y.step;
    let g = green.offset + y * green.y.step;
    let b = blue.offset + y * blue.y.step;
    for (let x = 0; x < size.width; x++, at++, r += red.x.step, g += green.x.step, b += blue.x.step) {
      const bright = red.data[r]! * redShare + green.data[g]! * greenShare + blue.data[b]! * blueShare;
      luma[at] = bright / to.luma + to.black;
      u[at] = (blue.data[b]! - bright) / to.blueU + to.grey;
      v[at] = (red.data[r]! - bright) / to.redV + to.grey;
    }
  }
  const plane = (data: Uint8ClampedArray) => contiguousPlane(new Uint8Array(data.buffer), size);
  const planes = [plane(luma), plane(u), plane(v)] as const;
  return { planes, size, display, lumaColour: limited, chromaColour: limited };
}

function fromYuv(
  { planes: [luma, u, v], size, display }: Omit<Planes, 'colour'>,
  colour: ColourSpace,
): Bt709Planes {
  const from = toRgbOf(colour);
  // Red − luma and blue − luma come from one chroma value each; the new luma weighs them and green's anew.
  const shiftU = greenShare * from.greenU + blueShare * from.blueU;
  const shiftV = redShare * from.redV + greenShare * from.greenV;
  const width = u.x.length;
  const newU = new Uint8ClampedArray(width * u.y.length);
  const newV = new Uint8ClampedArray(newU.length);
  const shift = new Uint8ClampedArray(newU.length);
  for (let y = 0, at = 0; y < u.y.length; y++) {
    let atU = u.offset + y * u.y.step;
    let atV = v.offset + y * v.y.step;
    for (let x = 0; x < width; x++, at++, atU += u.x.step, atV += v.x.step) {
      const du = u.data[atU]! - from.grey;
      const dv = v.data[atV]! - from.grey;
      const moved = shiftU * du + shiftV * dv;
      newU[at] = (from.blueU * du - moved) / to.blueU + to.grey;
      newV[at] = (from.redV * dv - moved) / to.redV + to.grey;
      shift[at] = moved * shiftUnit + shiftZero;
    }
  }
  const plane = (data: Uint8ClampedArray): Plane => ({
    data: new Uint8Array(data.buffer),
    offset: 0,
    x: { ...u.x, step: 1 },
    y: { ...u.y, step: width },
  });
  return {
    planes: [luma, plane(newU), plane(newV)],
    size,
    display,
    lumaColour: colour,
    chromaColour: limited,
    lumaShift: plane(shift),
  };
}
