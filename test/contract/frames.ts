import type { ColourSpace } from '../../src/pixels/colour.js';
import type { PixelFormat } from '../../src/pixels/planes.js';
import type { DisplayOf } from '../../src/pixels/read-planes.js';
import { colourAt, draw } from '../fixtures/pictures.js';

/** A picture that both implementations must read alike, and how it is shown. */
export type FrameCase = {
  readonly name: string;
  readonly display: DisplayOf;
  /** The colours that were drawn, by coded visible pixel. */
  readonly at: (x: number, y: number) => readonly number[];
  readonly make: () => VideoFrame;
};

type Spec = {
  readonly format?: PixelFormat;
  readonly colour?: ColourSpace;
  readonly primaries?: 'bt709' | 'smpte170m';
  readonly size?: readonly [number, number];
  readonly rotationDeg?: DisplayOf['rotationDeg'];
  readonly display?: readonly [number, number];
  /** Coded pixels left of and above the visible ones; even. */
  readonly margin?: readonly [number, number];
  readonly at?: (x: number, y: number) => readonly number[];
};

const bt709: ColourSpace = { matrix: 'bt709', range: 'limited', bits: 8 };

function frameCase(name: string, spec: Spec): FrameCase {
  const { format = 'I420', colour = bt709, at = colourAt, rotationDeg = 0, primaries = 'bt709' } = spec;
  const [width, height] = spec.size ?? [160, 90];
  const [left, top] = spec.margin ?? [0, 0];
  const [shownWidth, shownHeight] = spec.display ?? (rotationDeg % 180 ? [height, width] : [width, height]);
  const matrix = { bt601: 'smpte170m', bt709: 'bt709', bt2020: 'bt2020-ncl', rgb: 'rgb' } as const;
  return {
    name,
    at,
    display: { width: shownWidth, height: shownHeight, rotationDeg },
    make() {
      const shifted = (x: number, y: number) => at(x - left, y - top);
      const coded = { width: width + left, height: height + top };
      const { data, layout } = draw(format, coded, { colour, at: shifted });
      return new VideoFrame(data, {
        format: format as VideoPixelFormat,
        codedWidth: coded.width,
        codedHeight: coded.height,
        visibleRect: { x: left, y: top, width, height },
        layout: [...layout],
        timestamp: 40_000,
        duration: 20_000,
        ...(colour.matrix !== 'rgb' && {
          colorSpace: {
            matrix: matrix[colour.matrix] as VideoMatrixCoefficients,
            primaries,
            transfer: primaries,
            fullRange: colour.range === 'full',
          },
        }),
      });
    },
  };
}

/** Vertical bars of moderate colours over a grey ramp: hard edges, no colour outside of the gamut. */
const bars = (x: number, y: number): readonly number[] => {
  if (y > 60) return [x, x, x].map(value => 40 + value);
  const colours = [
    [190, 190, 190],
    [190, 180, 60],
    [60, 180, 190],
    [70, 170, 70],
    [180, 70, 180],
    [190, 70, 70],
    [60, 70, 180],
    [40, 40, 40],
  ];
  return colours[Math.min(7, Math.floor(x / 20))]!;
};

/** Noise of the same seed each time: strong in luma, weaker in colour, so that RGB stays within 0–255. */
const noise = (x: number, y: number): readonly number[] => {
  const hash = (salt: number) => {
    let h = Math.imul(Math.floor(x) * 374761393 + Math.floor(y) * 668265263 + salt, 1274126177);
    h = Math.imul(h ^ (h >>> 13), 1103515245);
    return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
  };
  const luma = 70 + 110 * hash(1);
  return [luma + 40 * (hash(2) - 0.5), luma + 30 * (hash(3) - 0.5), luma + 40 * (hash(4) - 0.5)];
};

/** Light bars all around a dark blue picture; no overshoot at their edges leaves the gamut. */
const whiteBars = (x: number, y: number): readonly number[] =>
  x < 15 || x >= 145 || y < 17 || y >= 73 ? [190, 190, 190] : [60, 66, 100];

/** Formats, ranges, matrices, turns, odd sizes, pixel aspect and contents that differ in what can go wrong. */
export const frameCases: readonly FrameCase[] = [
  frameCase('smooth I420', {}),
  frameCase('bars', { at: bars }),
  frameCase('noise', { at: noise }),
  frameCase('full range', { colour: { ...bt709, range: 'full' } }),
  frameCase('NV12', { format: 'NV12', at: bars }),
  frameCase('BT.601 matrix', { colour: { ...bt709, matrix: 'bt601' } }),
  frameCase('BT.601 primaries too', {
    colour: { ...bt709, matrix: 'bt601' },
    primaries: 'smpte170m',
    at: bars,
  }),
  frameCase('RGBA', { format: 'RGBA', colour: { matrix: 'rgb', range: 'full', bits: 8 } }),
  frameCase('10 bits', { format: 'I420P10', colour: { ...bt709, bits: 10 } }),
  frameCase('4:4:4', { format: 'I444', at: bars }),
  frameCase('odd size inside a larger frame', { size: [151, 87], margin: [4, 2] }),
  frameCase('turned by 90°, odd size', { size: [91, 161], rotationDeg: 90 }),
  frameCase('turned by 180°', { rotationDeg: 180, at: bars }),
  frameCase('turned by 270°, BT.601 primaries', {
    size: [91, 161],
    rotationDeg: 270,
    primaries: 'smpte170m',
    at: noise,
  }),
  frameCase('white bars', { at: whiteBars }),
  frameCase('pixel aspect 4:3', { size: [120, 90], display: [160, 90] }),
];

/** Mean and largest absolute difference. */
export function difference(a: ArrayLike<number>, b: ArrayLike<number>): { mean: number; max: number } {
  let sum = 0;
  let max = a.length === b.length ? 0 : Number.POSITIVE_INFINITY;
  for (let i = 0; i < a.length; i++) {
    const d = Math.abs(a[i]! - b[i]!);
    sum += d;
    // A NaN must not pass for equal.
    if (!(d <= max)) max = d;
  }
  return { mean: sum / a.length, max };
}

/** The coded pixel that is seen at a displayed position. */
export function codedAt(
  { display }: FrameCase,
  size: { width: number; height: number },
  x: number,
  y: number,
) {
  const turned = display.rotationDeg % 180 !== 0;
  const upright = turned ? { width: size.height, height: size.width } : size;
  const ux = ((x + 0.5) * upright.width) / display.width - 0.5;
  const uy = ((y + 0.5) * upright.height) / display.height - 0.5;
  if (display.rotationDeg === 90) return [uy, size.height - 1 - ux] as const;
  if (display.rotationDeg === 180) return [size.width - 1 - ux, size.height - 1 - uy] as const;
  if (display.rotationDeg === 270) return [size.width - 1 - uy, ux] as const;
  return [ux, uy] as const;
}
