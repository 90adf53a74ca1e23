import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { ColourSpace } from '../../../src/pixels/colour.js';
import type { PixelFormat } from '../../../src/pixels/planes.js';
import { planesOf } from '../../../src/pixels/planes.js';
import { pictureFromPlanes } from '../../../src/sampling/cpu.js';
import type { LetterboxSpec, Sample } from '../../../src/sampling/sampler.js';
import { colourAt, draw, toYuv } from '../../fixtures/pictures.js';

const cpuData = (sample: Sample) => {
  if (sample.kind !== 'cpu') throw new Error('expected a CPU sample');
  return sample.data;
};
const yuv = (matrix: ColourSpace['matrix'], range: ColourSpace['range'], bits = 8) => ({
  matrix,
  range,
  bits,
});
const size = { width: 96, height: 54 };
const spec: LetterboxSpec = { width: 96, height: 64, channelOrder: 'rgb', padValue: 114, scale: 1 };

/** Largest difference between a letterbox at scale 1 and the colours it was drawn from, 4 pixels off the edges. */
function worst(data: Float32Array, expected: (x: number, y: number) => readonly number[]): number {
  let most = 0;
  for (let y = 4; y < size.height - 4; y++)
    for (let x = 4; x < size.width - 4; x++)
      expected(x, y).forEach((value, c) => {
        const got = data[c * spec.width * spec.height + (y + 5) * spec.width + x]!;
        most = Math.max(most, Math.abs(got - value));
      });
  return most;
}

describe('colours come back within rounding', () => {
  const formats: [PixelFormat, ColourSpace][] = [
    ['I420', yuv('bt709', 'limited')],
    ['I420', yuv('bt601', 'limited')],
    ['I420', yuv('bt601', 'full')],
    ['I420', yuv('bt2020', 'limited')],
    ['I420A', yuv('bt709', 'full')],
    ['NV12', yuv('bt709', 'limited')],
    ['I422', yuv('bt709', 'limited')],
    ['I444', yuv('bt601', 'limited')],
    ['I420P10', yuv('bt2020', 'limited', 10)],
    ['I420P10', yuv('bt709', 'full', 10)],
    ['RGBA', yuv('rgb', 'full')],
    ['RGBX', yuv('rgb', 'full')],
    ['BGRA', yuv('rgb', 'full')],
    ['BGRX', yuv('rgb', 'full')],
  ];
  test.each(formats)('%s %o', async (format, colour) => {
    const picture = pictureFromPlanes(planesOf(draw(format, size, { colour })));
    const rgb = cpuData(await picture.letterbox(spec));
    expect(worst(rgb, colourAt)).toBeLessThan(4);
    const bgr = cpuData(await picture.letterbox({ ...spec, channelOrder: 'bgr' }));
    expect(worst(bgr, (x, y) => [...colourAt(x, y)].reverse())).toBeLessThan(4);
  });
});

test.each([
  [1, 0],
  [0, 1],
  [1, 1],
])('pixels before an odd visible edge are not seen (%d, %d)', async (phaseX, phaseY) => {
  for (const format of ['I420', 'NV12', 'I422', 'I444'] as const) {
    const picture = pictureFromPlanes(planesOf(draw(format, size, { phaseX, phaseY })));
    expect(worst(cpuData(await picture.letterbox(spec)), colourAt)).toBeLessThan(4);
  }
});

describe('rotation', () => {
  // Where the displayed pixel (x, y) lies in the coded picture.
  const coded = {
    90: (x: number, y: number) => [y, size.width - 1 - x],
    180: (x: number, y: number) => [size.width - 1 - x, size.height - 1 - y],
    270: (x: number, y: number) => [size.height - 1 - y, x],
  };
  test.each([90, 180, 270] as const)('by %d° clockwise', async rotationDeg => {
    const [width, height] = rotationDeg === 180 ? [size.width, size.height] : [size.height, size.width];
    for (const phaseX of [0, 1]) {
      const pixels = draw(
        'I420',
        { width, height },
        { display: { ...size, rotationDeg }, phaseX, at: (x, y) => colourAt(x, y) },
      );
      const picture = pictureFromPlanes(planesOf(pixels));
      const seen = (x: number, y: number) => {
        const [cx, cy] = coded[rotationDeg](x, y);
        return colourAt(cx!, cy!);
      };
      expect(worst(cpuData(await picture.letterbox(spec)), seen)).toBeLessThan(4);
      const grey = await picture.grey();
      const box = { x: 20, y: 10, width: 16, height: 16 };
      const crop = await grey.faceCrops([box], { width: 16, height: 16, padValue: 0 });
      const luma = ([r, g, b]: number[]) => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      for (let i = 0; i < 256; i++)
        expect(Math.abs(crop[i]! - luma(seen(20 + (i % 16), 10 + (i >> 4))))).toBeLessThan(1.2);
    }
  });
});

test('pixel aspect: the displayed picture is what is letterboxed, and boxes count in displayed pixels', async () => {
  const display = { width: 192, height: 54, rotationDeg: 0 } as const;
  const picture = pictureFromPlanes(planesOf(draw('I420', size, { display })));
  const data = cpuData(await picture.letterbox({ ...spec, width: 192 }));
  for (let x = 8; x < 184; x++) {
    const got = data[(20 + 5) * 192 + x]!;
    expect(Math.abs(got - colourAt((x + 0.5) / 2 - 0.5, 20)[0])).toBeLessThan(4);
  }
  const grey = await picture.grey();
  const box = { x: 40, y: 12, width: 32, height: 16 };
  const crop = await grey.faceCrops([box], { width: 16, height: 16, padValue: 0 });
  const [y] = toYuv(colourAt(20 + 3, 12 + 2), yuv('bt709', 'full'));
  expect(Math.abs(crop[2 * 16 + 3]! - y!)).toBeLessThan(1.2);
});

test('the letterbox pads with the given value, scaled', async () => {
  const picture = pictureFromPlanes(planesOf(draw('I420', size)));
  const data = cpuData(await picture.letterbox({ ...spec, scale: 1 / 255 }));
  for (const row of [0, 4, 59, 63])
    for (let x = 0; x < 96; x++) expect(data[row * 96 + x]).toBeCloseTo(114 / 255, 6);
  expect(data[5 * 96]).not.toBeCloseTo(114 / 255, 3);
});

test('thumbnails are area means in RGB 0–1', async () => {
  const at = (x: number, y: number) => (x < 48 ? [200, 40, 60] : y < 27 ? [20, 180, 90] : [100, 110, 230]);
  const thumbnail = await pictureFromPlanes(planesOf(draw('I444', size, { at }))).thumbnail();
  const pixel = (x: number, y: number) => [...thumbnail.subarray(3 * (y * 48 + x), 3 * (y * 48 + x) + 3)];
  expect(thumbnail.length).toBe(27 * 48 * 3);
  for (const [x, y, colour] of [
    [3, 3, at(0, 0)],
    [40, 3, at(90, 0)],
    [40, 20, at(90, 50)],
  ] as const)
    pixel(x, y).forEach((value, c) => {
      expect(Math.abs(value * 255 - colour[c]!)).toBeLessThan(1.5);
    });
  // The row in the middle is half of each.
  expect(Math.abs(pixel(40, 13)[0]! * 255 - (20 + 100) / 2)).toBeLessThan(1.5);
});

describe('face crops', () => {
  const full = yuv('bt709', 'full');
  // Luma is a plane, so that bilinear reading is exact everywhere: 2x + y.
  const ramp = (x: number, y: number) => {
    const value = Math.min(255, Math.max(0, 2 * x + y));
    return [value, value, value];
  };
  const picture = pictureFromPlanes(planesOf(draw('I420', size, { colour: full, at: ramp })));

  test('follow the reference arithmetic: source = (d + ½) · side / out − ½ from the box corner', async () => {
    const grey = await picture.grey();
    const box = { x: 21, y: 7, width: 34, height: 28 };
    const crop = await grey.faceCrops([box], { width: 112, height: 112, padValue: 110 });
    for (let j = 0; j < 112; j++)
      for (let i = 0; i < 112; i++) {
        const x = 21 + ((i + 0.5) * 34) / 112 - 0.5;
        const y = 7 + ((j + 0.5) * 28) / 112 - 0.5;
        expect(Math.abs(crop[j * 112 + i]! - (2 * x + y))).toBeLessThan(1e-4);
      }
  });

  test('see the padding at whole pixels outside, blended across the edge', async () => {
    const grey = await picture.grey();
    const boxes = [
      { x: -8, y: -8, width: 16, height: 16 },
      { x: -4.5, y: 20, width: 8, height: 8 },
      { x: 500, y: 500, width: 9, height: 9 },
    ];
    const crops = await grey.faceCrops(boxes, { width: 16, height: 16, padValue: 110 });
    expect(crops.length).toBe(3 * 16 * 16);
    const data = crops;
    const value = (n: number, i: number, j: number) => data[n * 256 + j * 16 + i]!;
    expect(value(0, 7, 12)).toBe(110);
    expect(value(0, 8, 8)).toBeCloseTo(0, 4);
    expect(value(0, 12, 10)).toBeCloseTo(2 * 4 + 2, 4);
    // Centre at −4.5 + 9.5 / 2 − ½ = −0.25: a quarter padding, three quarters of column 0 (value y).
    const y = 20 + 4.25 - 0.5;
    expect(value(1, 9, 8)).toBeCloseTo(0.25 * 110 + 0.75 * y, 3);
    for (let i = 0; i < 256; i++) expect(data[512 + i]).toBe(110);
  });

  test('expand limited range and clamp it', async () => {
    const at = (x: number) => (x < 48 ? [0, 0, 0] : [255, 255, 255]);
    const drawn = draw('I420', size, { at });
    drawn.data[0] = 4;
    const grey = await pictureFromPlanes(planesOf(drawn)).grey();
    const box = { x: 0, y: 0, width: 96, height: 54 };
    const crop = await grey.faceCrops([box], { width: 96, height: 54, padValue: 0 });
    expect([crop[0], crop[10], crop[90]]).toEqual([0, 0, 255]);
  });

  test('outlive the picture and its planes', async () => {
    const drawn = draw('I420', size, { colour: full, at: ramp });
    let released = 0;
    const open = pictureFromPlanes(planesOf(drawn), () => released++);
    const grey = await open.grey();
    open.close();
    open.close();
    expect(released).toBe(1);
    drawn.data.fill(0);
    const box = { x: 10, y: 10, width: 4, height: 4 };
    const crop = await grey.faceCrops([box], { width: 4, height: 4, padValue: 0 });
    expect(crop[0]).toBeCloseTo(30, 4);
    await expect(open.thumbnail()).rejects.toThrow(TypeError);
    grey.close();
    await expect(grey.faceCrops([box], { width: 4, height: 4, padValue: 0 })).rejects.toThrow(TypeError);
  });

  test('of a picture with more than 1080 lines keep displayed coordinates', async () => {
    const tall = { width: 64, height: 64 };
    const big = { width: 2400, height: 2160 };
    const at = (x: number, y: number) => ramp(x / 20, y / 20);
    const drawn = draw('I420', big, { colour: full, at, display: { ...big, rotationDeg: 0 } });
    const grey = await pictureFromPlanes(planesOf(drawn)).grey();
    const box = { x: 600, y: 800, width: 320, height: 320 };
    const crop = await grey.faceCrops([box], { ...tall, padValue: 0 });
    const x = 600 + 10.5 * 5 - 0.5;
    const y = 800 + 20.5 * 5 - 0.5;
    expect(Math.abs(crop[20 * 64 + 10]! - (2 * x + y) / 20)).toBeLessThan(0.6);
  });
});

const golden = fileURLToPath(new URL('../../../../shared/golden/', import.meta.url));
test.skipIf(!existsSync(golden))('the letterbox is OpenCV’s (needs ../shared)', async () => {
  const rgbOf = (name: string) =>
    execFileSync('ffmpeg', ['-v', 'error', '-i', golden + name, '-f', 'rawvideo', '-pix_fmt', 'rgba', '-'], {
      maxBuffer: 1e9,
    });
  const source = { width: 1080, height: 1440 };
  const planes = planesOf({
    format: 'RGBA',
    data: rgbOf('face_2.jpg'),
    layout: [{ offset: 0, stride: 4 * 1080 }],
    size: source,
    colour: yuv('rgb', 'full'),
    display: { ...source, rotationDeg: 0 },
  });
  const expected = rgbOf('face_2_letterbox640.png');
  const got = cpuData(await pictureFromPlanes(planes).letterbox({ ...spec, width: 640, height: 640 }));
  let sum = 0;
  let most = 0;
  for (let i = 0; i < 640 * 640; i++)
    for (let c = 0; c < 3; c++) {
      const difference = Math.abs(got[c * 640 * 640 + i]! - expected[4 * i + c]!);
      sum += difference;
      most = Math.max(most, difference);
    }
  expect(sum / (3 * 640 * 640)).toBeLessThan(1);
  // JPEG decoders differ by a few levels where chroma changes.
  expect(most).toBeLessThan(12);
});
