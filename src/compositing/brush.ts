import { lumaWeights, toRgbOf } from '../pixels/colour.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import { mapsFor } from '../pixels/plane-maps.js';
import { resample } from '../pixels/resample.js';
import { halveTaps, scaleTaps, sliceTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { Bt709Planes } from './bt709.js';
import { shiftUnit, shiftZero } from './bt709.js';
import type { Layer } from './scene.js';

/** An I420 picture in one buffer, BT.709 limited. */
export type Canvas = {
  readonly size: Size;
  readonly data: Uint8ClampedArray<ArrayBuffer>;
};

/** Draws one layer; made once for pictures of one shape and colour space. */
export type Brush = (canvas: Canvas, picture: Bt709Planes) => void;

/** A colour as R'G'B', 0–1. */
export type Rgb = readonly [number, number, number];

/** The colour that `#rrggbb` names. */
export const rgbOf = (hex: string): Rgb =>
  [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255) as unknown as Rgb;

/** Limited range in 8 bits: black, span of luma, grey, span of chroma. */
const limited = { black: 16, luma: 219 / 255, grey: 128, chroma: 224 / 255 };
/** Rows whose luma is summed in floats at a time: few enough to stay in the processor's cache. */
const bandRows = 32;

export function createCanvas(size: Size): Canvas {
  return { size, data: new Uint8ClampedArray((size.width * size.height * 3) / 2) };
}

/** Fills a box, even numbers, with one colour. @param rgb - R'G'B', 0–1. */
export function fillBox({ size, data }: Canvas, { x, y, width, height }: PixelBox, rgb: Rgb): void {
  const area = size.width * size.height;
  const [luma, u, v] = ycbcrOf(rgb);
  for (let row = y; row < y + height; row++)
    data.fill(luma, row * size.width + x, row * size.width + x + width);
  const stride = size.width / 2;
  for (let row = y / 2; row < (y + height) / 2; row++) {
    const at = area + row * stride + x / 2;
    data.fill(u, at, at + width / 2);
    data.fill(v, at + area / 4, at + area / 4 + width / 2);
  }
}

/** BT.709 limited, before rounding. */
export function ycbcrOf([red, green, blue]: Rgb): Rgb {
  const [kr, kg, kb] = lumaWeights('bt709');
  const luma = kr * red + kg * green + kb * blue;
  return [
    limited.black + 219 * luma,
    limited.grey + (224 * (blue - luma)) / (2 * (1 - kb)),
    limited.grey + (224 * (red - luma)) / (2 * (1 - kr)),
  ];
}

/**
 * Every plane is resized by itself; range, depth and brightness ride on the weights, which cost nothing.
 *
 * @param brightnessRatio - Factor on R'G'B', 0–1.
 */
export function createBrush(layer: Layer, shape: Bt709Planes, brightnessRatio: number): Brush {
  const { output, across, down } = layer;
  const halved = { across: halveTaps(across), down: halveTaps(down) };
  const [luma, chroma] = mapsFor(shape, { across, down }, halved);
  const from = toRgbOf(shape.lumaColour);
  const fromChroma = toRgbOf(shape.chromaColour);
  const lumaGain = from.luma * limited.luma * brightnessRatio;
  const lumaBias = limited.black - from.black * lumaGain;
  const chromaGain = fromChroma.chroma * limited.chroma * brightnessRatio;
  const chromaBias = limited.grey - fromChroma.grey * chromaGain;
  const lumaMaps = withGain(luma, lumaGain);
  const chromaMaps = withGain(chroma, chromaGain);
  const addShift = shape.lumaShift && createShift(layer, shape, lumaMaps, lumaBias, brightnessRatio);
  return (canvas, picture) => {
    const [y, u, v] = picture.planes;
    const { data, size } = canvas;
    const { width } = size;
    const area = width * size.height;
    const stride = width / 2;
    const corner = (output.y / 2) * stride + output.x / 2;
    const target = { data, offset: output.y * width + output.x, stride: width, bias: lumaBias };
    if (addShift) addShift(canvas, picture);
    else resample(y, lumaMaps, target);
    resample(u, chromaMaps, { data, offset: area + corner, stride, bias: chromaBias });
    resample(v, chromaMaps, { data, offset: area + area / 4 + corner, stride, bias: chromaBias });
  };
}

/** Luma together with its shift, which is added before the one rounding to 8 bits. */
function createShift(
  { output, across, down }: Layer,
  shape: Bt709Planes,
  lumaMaps: PlaneMaps,
  bias: number,
  brightnessRatio: number,
): Brush {
  const gain = (limited.luma * brightnessRatio) / shiftUnit;
  const shiftMaps = withGain(mapsFor(shape, { across, down })[1], gain);
  const { width, height } = output;
  const luma = new Float32Array(bandRows * width);
  const shift = new Float32Array(bandRows * width);
  return ({ data, size }, { planes: [plane], lumaShift }) => {
    for (let first = 0; first < height; first += bandRows) {
      const rows = Math.min(bandRows, height - first);
      const band = { offset: 0, stride: width };
      const cut = (maps: PlaneMaps) => ({ ...maps, down: sliceTaps(maps.down, first, first + rows) });
      resample(plane, cut(lumaMaps), { ...band, data: luma, bias });
      resample(lumaShift!, cut(shiftMaps), { ...band, data: shift, bias: -shiftZero * gain });
      for (let row = 0, i = 0; row < rows; row++) {
        const to = (output.y + first + row) * size.width + output.x - i;
        for (const end = i + width; i < end; i++) data[to + i] = luma[i]! + shift[i]!;
      }
    }
  };
}

const withGain = (maps: PlaneMaps, gain: number): PlaneMaps => ({
  ...maps,
  down: scaleTaps(maps.down, gain),
});
