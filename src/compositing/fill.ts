import { fillSource, isFreeAbove } from '../core/plan/fill-source.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { areaTaps, bilinearTaps, edgeTaps, gaussianTaps, sameTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import { type Rgb, rgbOf } from './brush.js';
import type { Drawing } from './compositor.js';
import type { Layer } from './scene.js';

/** A fill made of the picture: a part of it reduced to `small`, softened, and stretched by `layer`. */
export type Fill = {
  readonly small: Size;
  readonly reduce: PlaneMaps;
  readonly soften: PlaneMaps;
  readonly layer: Layer;
  /** Factor on R'G'B'. */
  readonly brightnessRatio: number;
};

/** How fills look. */
export type FillOptions = {
  /** Shorter side of the reduced copy, in pixels: everything finer is gone before the blur begins. */
  readonly smallSide: number;
  /** Standard deviation of the blur, in pixels of the reduced copy. */
  readonly sigma: number;
  /** Brightness of a blurred fill against the picture, 0–1. */
  readonly brightnessRatio: number;
  /** How much of the picture an edge is, for a gradient: a share of the side that it lies across. */
  readonly edgeRatio: number;
};

/**
 * Chosen by eye: faces and captions are no longer readable and the fill stays below the picture in brightness.
 * A σ of 2 in 48 pixels is 4 % of the output's width. An edge of 4 % is a mean over what a viewer takes for the border.
 */
export const defaultFillOptions: FillOptions = {
  smallSide: 48,
  sigma: 2,
  brightnessRatio: 0.5,
  edgeRatio: 0.04,
};

/** The fill that a drawing asks for; undefined where one colour is enough. */
export function fillFor(
  { panels, background }: Drawing,
  output: Size,
  shape: Shape,
): { readonly key: string; readonly make: () => Fill } | undefined {
  if (background === 'black' || background === 'colour' || !panels.length) return undefined;
  const part = fillSource(panels);
  const isDown = isFreeAbove(panels, output);
  return {
    key: `${background} ${isDown} ${boxKey(part)}`,
    make: () =>
      background === 'blur' ? blurOf(output, shape, part) : gradientOf(output, shape, { part, isDown }),
  };
}

/** The one colour behind panels. */
export const colourOf = ({ background, backgroundColour }: Drawing): Rgb =>
  rgbOf((background === 'colour' && backgroundColour) || '#000000');

/** Names a box: a key for caches. */
export const boxKey = ({ x, y, width, height }: PixelBox): string => `${x} ${y} ${width} ${height}`;

type Shape = Pick<Planes, 'size' | 'display'>;

/** The picture's part scaled to cover the output, centred, blurred in a small copy. */
export function blurOf(output: Size, shape: Shape, part: PixelBox, options = defaultFillOptions): Fill {
  const cover = Math.max(output.width / part.width, output.height / part.height);
  const reduce = options.smallSide / Math.min(output.width, output.height);
  const axis = (outputs: number, from: number, length: number, displayed: number, inputs: number) => {
    const small = Math.max(2, 2 * Math.round((outputs * reduce) / 2));
    const seen = outputs / cover;
    const scale = inputs / displayed;
    const start = (from + (length - seen) / 2) * scale;
    return {
      reduce: areaTaps({ from: start, step: (seen * scale) / small, outputs: small, inputs }),
      soften: gaussianTaps(small, options.sigma),
      stretch: bilinearTaps({ from: 0, step: small / outputs, outputs, inputs: small }),
    };
  };
  return fillOf(output, options.brightnessRatio, {
    x: axis(output.width, part.x, part.width, shape.display.width, shape.size.width),
    y: axis(output.height, part.y, part.height, shape.display.height, shape.size.height),
  });
}

/** From the mean colour of one edge of the picture's part to that of the opposite one. */
export function gradientOf(
  output: Size,
  shape: Shape,
  { part, isDown }: { readonly part: PixelBox; readonly isDown: boolean },
  options = defaultFillOptions,
): Fill {
  const axis = (
    outputs: number,
    from: number,
    length: number,
    inputsPerPixel: number,
    inputs: number,
    isAlong: boolean,
  ) => {
    const stretch = { from: from * inputsPerPixel, step: length * inputsPerPixel, outputs: 1, inputs };
    const small = isAlong ? 2 : 1;
    return {
      reduce: isAlong ? edgeTaps(stretch, options.edgeRatio) : areaTaps(stretch),
      soften: sameTaps(small),
      // From the middle of the first sample to that of the last: even all the way.
      stretch: bilinearTaps({ from: 0.5, step: (small - 1) / outputs, outputs, inputs: small }),
    };
  };
  const { size, display } = shape;
  return fillOf(output, 1, {
    x: axis(output.width, part.x, part.width, size.width / display.width, size.width, !isDown),
    y: axis(output.height, part.y, part.height, size.height / display.height, size.height, isDown),
  });
}

type AxisMaps = Record<'reduce' | 'soften' | 'stretch', PlaneMaps['across']>;

const fillOf = (output: Size, brightnessRatio: number, { x, y }: Record<'x' | 'y', AxisMaps>): Fill => ({
  small: { width: x.soften.length, height: y.soften.length },
  reduce: { across: x.reduce, down: y.reduce },
  soften: { across: x.soften, down: y.soften },
  layer: { output: { x: 0, y: 0, ...output }, across: x.stretch, down: y.stretch },
  brightnessRatio,
});
