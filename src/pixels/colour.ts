/** Matrix between R'G'B' and luma and chroma, range and depth of the samples. Transfer curves stay as they are. */
export type ColourSpace = {
  readonly matrix: 'rgb' | 'bt601' | 'bt709' | 'bt2020';
  /** `limited`: black 16, white 235 (of 255); `full`: 0 and 255. RGB samples are full. */
  readonly range: 'limited' | 'full';
  readonly bits: number;
};

/** Share of red and blue in luma. */
const lumaShares = {
  rgb: [0.299, 0.114],
  bt601: [0.299, 0.114],
  bt709: [0.2126, 0.0722],
  bt2020: [0.2627, 0.0593],
} as const;

/** Shares of R, G and B in luma; RGB pictures take those of BT.601, as OpenCV's grey does. */
export function lumaWeights(matrix: ColourSpace['matrix']): readonly [number, number, number] {
  const [red, blue] = lumaShares[matrix];
  return [red, 1 - red - blue, blue];
}

/** Affine maps from stored samples to 0–255: `luma · (Y − black)`, and what U and V add to R, G and B. */
export type ToRgb = {
  readonly luma: number;
  readonly black: number;
  /** Factor that brings chroma to ±127.5. */
  readonly chroma: number;
  /** The chroma value that means grey. */
  readonly grey: number;
  readonly redV: number;
  readonly greenU: number;
  readonly greenV: number;
  readonly blueU: number;
};

/** @see ITU-R BT.601, BT.709, BT.2020: the matrices follow from the luma shares of red and blue. */
export function toRgbOf({ matrix, range, bits }: ColourSpace): ToRgb {
  const [red, green, blue] = lumaWeights(matrix);
  const unit = 2 ** (bits - 8);
  const peak = 2 ** bits - 1;
  const luma = 255 / (range === 'limited' ? 219 * unit : peak);
  const chroma = 255 / (range === 'limited' ? 224 * unit : peak);
  return {
    luma,
    chroma,
    black: range === 'limited' ? 16 * unit : 0,
    grey: 128 * unit,
    redV: 2 * (1 - red) * chroma,
    greenU: (-2 * blue * (1 - blue) * chroma) / green,
    greenV: (-2 * red * (1 - red) * chroma) / green,
    blueU: 2 * (1 - blue) * chroma,
  };
}

/** What a VideoFrame says about its colours; null where the stream is silent. */
export type DeclaredColour = {
  readonly matrix: string | null;
  readonly fullRange: boolean | null;
};

/** From this many coded lines on, silent video is taken for BT.709, below for BT.601: what players do. */
const linesOfHd = 720;

/** The colour space of YUV samples, with the usual guess by size where the stream is silent. */
export function colourOf(declared: DeclaredColour, codedHeight: number, bits: number): ColourSpace {
  const range = declared.fullRange ? 'full' : 'limited';
  const named = { bt709: 'bt709', bt470bg: 'bt601', smpte170m: 'bt601', 'bt2020-ncl': 'bt2020' } as const;
  const guess = codedHeight >= linesOfHd ? 'bt709' : 'bt601';
  return { matrix: named[declared.matrix as keyof typeof named] ?? guess, range, bits };
}
