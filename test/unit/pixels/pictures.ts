import type { ColourSpace } from '../../../src/pixels/colour.js';
import type { CodedPixels, PixelFormat } from '../../../src/pixels/planes.js';
import type { Size } from '../../../src/schema/geometry.js';

/** A smooth colour at each pixel, 0–255: every channel differs, and no symmetry hides a flip or a swap. */
export const colourAt = (x: number, y: number): [number, number, number] => [
  128 + 70 * Math.sin(x / 9 + y / 23),
  110 + 60 * Math.cos(x / 17 - y / 11),
  120 + 50 * Math.sin(x / 31 + y / 7 + 1),
];

/** Luma shares of red and blue. */
export const shares = { bt601: [0.299, 0.114], bt709: [0.2126, 0.0722], bt2020: [0.2627, 0.0593] } as const;

/** Stored Y, U, V of an R'G'B' colour, by the definitions of BT.601, BT.709 and BT.2020. */
export function toYuv([r, g, b]: readonly number[], { matrix, range, bits }: ColourSpace): number[] {
  const [kr, kb] = shares[matrix as keyof typeof shares];
  const y = (kr * r! + (1 - kr - kb) * g! + kb * b!) / 255;
  const u = (b! / 255 - y) / (2 * (1 - kb));
  const v = (r! / 255 - y) / (2 * (1 - kr));
  const unit = 2 ** (bits - 8);
  const peak = 2 ** bits - 1;
  return range === 'limited'
    ? [(16 + 219 * y) * unit, (128 + 224 * u) * unit, (128 + 224 * v) * unit]
    : [peak * y, 128 * unit + peak * u, 128 * unit + peak * v];
}

const subsampling: Partial<Record<PixelFormat, readonly [number, number]>> = {
  I420: [2, 2],
  I420A: [2, 2],
  I420P10: [2, 2],
  NV12: [2, 2],
  I422: [2, 1],
  I444: [1, 1],
};

/**
 * Draws a picture into memory in any format, with padding at the end of each row. Chroma samples are the colour at
 * the middle of the pixels that they cover.
 */
export function draw(
  format: PixelFormat,
  size: Size,
  options: Partial<Pick<CodedPixels, 'display' | 'phaseX' | 'phaseY'>> & {
    colour?: ColourSpace;
    at?: (x: number, y: number) => readonly number[];
  } = {},
): CodedPixels {
  const { phaseX = 0, phaseY = 0, at = colourAt } = options;
  const coded = { width: size.width + phaseX, height: size.height + phaseY };
  const display = options.display ?? { ...size, rotationDeg: 0 };
  const colour = options.colour ?? { matrix: 'bt709', range: 'limited', bits: 8 };
  const common = { format, size, phaseX, phaseY, display };
  const order = { RGBA: [0, 1, 2], RGBX: [0, 1, 2], BGRA: [2, 1, 0], BGRX: [2, 1, 0] } as Record<
    string,
    number[]
  >;
  const rgb = order[format];
  if (rgb) {
    const stride = 4 * coded.width + 12;
    const data = new Uint8Array(stride * coded.height);
    for (let y = 0; y < coded.height; y++)
      for (let x = 0; x < coded.width; x++)
        at(x - phaseX, y - phaseY).forEach((value, c) => {
          data[y * stride + 4 * x + rgb[c]!] = Math.round(value);
        });
    return {
      ...common,
      data,
      layout: [{ offset: 0, stride }],
      colour: { matrix: 'rgb', range: 'full', bits: 8 },
    };
  }
  const [across, down] = subsampling[format]!;
  const bytes = colour.bits > 8 ? 2 : 1;
  const isNv12 = format === 'NV12';
  const chroma = { width: Math.ceil(coded.width / across), height: Math.ceil(coded.height / down) };
  const lumaStride = (coded.width + 6) * bytes;
  const chromaStride = (isNv12 ? 2 * chroma.width : chroma.width) * bytes + 4 * bytes;
  const first = lumaStride * coded.height;
  const second = first + chromaStride * chroma.height;
  const buffer = new ArrayBuffer(second + chromaStride * chroma.height);
  const samples = bytes === 2 ? new Uint16Array(buffer) : new Uint8Array(buffer);
  const yuvAt = (x: number, y: number) => toYuv(at(x - phaseX, y - phaseY), colour).map(Math.round);
  for (let y = 0; y < coded.height; y++)
    for (let x = 0; x < coded.width; x++) samples[(y * lumaStride) / bytes + x] = yuvAt(x, y)[0]!;
  for (let y = 0; y < chroma.height; y++)
    for (let x = 0; x < chroma.width; x++) {
      const middle = (i: number, n: number) => i * n + (n - 1) / 2;
      const [, u, v] = yuvAt(middle(x, across), middle(y, down));
      const row = (y * chromaStride) / bytes;
      if (isNv12) samples.set([u!, v!], first + row + 2 * x);
      else {
        samples[first / bytes + row + x] = u!;
        samples[second / bytes + row + x] = v!;
      }
    }
  const layout = [
    { offset: 0, stride: lumaStride },
    { offset: first, stride: chromaStride },
    ...(isNv12 ? [] : [{ offset: second, stride: chromaStride }]),
  ];
  return { ...common, data: new Uint8Array(buffer), layout, colour };
}
