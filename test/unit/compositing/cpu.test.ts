import { describe, expect, test } from 'vitest';
import type { Canvas } from '../../../src/compositing/brush.js';
import { createPainter } from '../../../src/compositing/cpu.js';
import type { ColourSpace } from '../../../src/pixels/colour.js';
import type { PixelFormat } from '../../../src/pixels/planes.js';
import { planesOf } from '../../../src/pixels/planes.js';
import { colourAt, draw, toYuv } from '../../fixtures/pictures.js';

const bt709: ColourSpace = { matrix: 'bt709', range: 'limited', bits: 8 };
const source = { width: 160, height: 90 };
const output = { width: 90, height: 160 };
const whole = { x: 0, y: 0, ...output };
const crop = { x: 51.5, y: 0, width: 50.625, height: 90 };

/** Y at a pixel, and U and V of its 2×2 block. */
function at({ data, size }: Canvas, x: number, y: number): number[] {
  const area = size.width * size.height;
  const chroma = area + ((y >> 1) * size.width) / 2 + (x >> 1);
  return [data[y * size.width + x]!, data[chroma]!, data[chroma + area / 4]!];
}

/** Where an output pixel's centre lies in the source, as a pixel position. */
const from = (x: number, y: number) => [
  crop.x + ((x + 0.5) * crop.width) / output.width - 0.5,
  crop.y + ((y + 0.5) * crop.height) / output.height - 0.5,
];

describe('a crop holds the source colours in BT.709 limited range', () => {
  const cases: [PixelFormat, ColourSpace][] = [
    ['I420', bt709],
    ['I420', { ...bt709, range: 'full' }],
    ['I420', { ...bt709, matrix: 'bt601' }],
    ['I420', { ...bt709, matrix: 'bt601', range: 'full' }],
    ['I420P10', { ...bt709, matrix: 'bt2020', bits: 10 }],
    ['I420P10', { ...bt709, bits: 10 }],
    ['NV12', bt709],
    ['I444', bt709],
    ['RGBA', { matrix: 'rgb', range: 'full', bits: 8 }],
  ];
  test.each(cases)('%s %o', (format, colour) => {
    const planes = planesOf(draw(format, source, { colour }));
    const canvas = createPainter(output)(planes, {
      panels: [{ source: crop, output: whole }],
      background: 'black',
    });
    for (let y = 6; y < output.height - 6; y += 2)
      for (let x = 6; x < output.width - 6; x += 2) {
        const [sx, sy] = from(x, y);
        const [luma] = toYuv(colourAt(sx!, sy!), bt709);
        const [cx, cy] = from(x + 0.5, y + 0.5);
        const [, u, v] = toYuv(colourAt(cx!, cy!), bt709);
        const got = at(canvas, x, y);
        expect(Math.abs(got[0]! - luma!)).toBeLessThan(2);
        expect(Math.abs(got[1]! - u!)).toBeLessThan(2.5);
        expect(Math.abs(got[2]! - v!)).toBeLessThan(2.5);
      }
  });
});

test('rotated sources are drawn upright', () => {
  const pixels = draw('I420', { width: 90, height: 160 }, { display: { ...source, rotationDeg: 90 } });
  const canvas = createPainter(output)(planesOf(pixels), {
    panels: [{ source: crop, output: whole }],
    background: 'black',
  });
  const [sx, sy] = from(40, 70);
  const [luma] = toYuv(colourAt(sy!, 159 - sx!), bt709);
  expect(Math.abs(at(canvas, 40, 70)[0]! - luma!)).toBeLessThan(2);
});

describe('around a fitted picture', () => {
  const panel = { source: { x: 0, y: 0, ...source }, output: { x: 0, y: 54, width: 90, height: 50 } };

  test('is black where black is asked for, and the picture is whole', () => {
    const planes = planesOf(draw('I420', source));
    const canvas = createPainter(output)(planes, { panels: [panel], background: 'black' });
    for (const y of [0, 53, 104, 159]) expect(at(canvas, 45, y)).toEqual([16, 128, 128]);
    const left = toYuv(colourAt(2 * 1.78, 45), bt709)[0]!;
    const right = toYuv(colourAt(160 - 2 * 1.78, 45), bt709)[0]!;
    expect(Math.abs(at(canvas, 2, 54 + 25)[0]! - left)).toBeLessThan(12);
    expect(Math.abs(at(canvas, 87, 54 + 25)[0]! - right)).toBeLessThan(12);
  });

  test('is the picture itself, covering, blurred and at half its brightness', () => {
    // Fine stripes that the blur removes over a left half that is bright and a right half that is dark.
    const stripes = (x: number) => {
      const value = (x < 80 ? 200 : 60) + (x % 4 < 2 ? 40 : -40);
      return [value, value, value];
    };
    const planes = planesOf(draw('I444', source, { at: stripes }));
    const canvas = createPainter(output)(planes, { panels: [panel], background: 'blur' });
    const luma = (value: number) => 16 + (219 * value) / 255;
    for (const y of [0, 20, 53, 104, 140]) {
      expect(Math.abs(at(canvas, 8, y)[0]! - luma(100))).toBeLessThan(3);
      expect(Math.abs(at(canvas, 80, y)[0]! - luma(30))).toBeLessThan(3);
      for (let x = 1; x < 90; x++)
        expect(Math.abs(at(canvas, x, y)[0]! - at(canvas, x - 1, y)[0]!)).toBeLessThan(9);
    }
    // Inside the picture the halves stand at full brightness.
    expect(at(canvas, 20, 80)[0]!).toBeGreaterThan(luma(140));
  });
});

test('nothing of an earlier frame stays behind', () => {
  const paint = createPainter(output);
  const planes = planesOf(draw('I420', source));
  paint(planes, { panels: [{ source: crop, output: whole }], background: 'black' });
  const half = { x: 0, y: 0, width: 44, height: 160 };
  const canvas = paint(planes, { panels: [{ source: crop, output: half }], background: 'black' });
  for (let y = 0; y < 160; y++) expect(at(canvas, 44, y)).toEqual([16, 128, 128]);
});

test('odd output sizes are refused', () => {
  expect(() => createPainter({ width: 91, height: 160 })).toThrow(RangeError);
  expect(() => createPainter({ width: 0, height: 160 })).toThrow(RangeError);
});
