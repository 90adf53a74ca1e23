import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { Planes } from '../pixels/planes.js';
import { areaTaps, bilinearTaps, cubicTaps, gaussianTaps, tentTaps } from '../pixels/taps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import type { DrawPanel } from './compositor.js';

/** Maps of one layer: which output pixels it fills, and from which picture pixels along each axis. */
export type Layer = PlaneMaps & {
  /** Output pixels; all four numbers even, so that chroma samples belong to one layer. */
  readonly output: PixelBox;
};

/** The blurred fill: the covering part of the picture, reduced to `small`, blurred, and stretched by `layer`. */
export type Background = {
  readonly small: Size;
  readonly reduce: PlaneMaps;
  readonly blur: PlaneMaps;
  readonly layer: Layer;
};

/** How the fill around a `fit` picture looks. */
export type BackgroundOptions = {
  /** Shorter side of the reduced copy, in pixels: everything finer is gone before the blur begins. */
  readonly smallSide: number;
  /** Standard deviation of the blur, in pixels of the reduced copy. */
  readonly sigma: number;
  /** Brightness of the fill against the picture, 0–1. */
  readonly brightnessRatio: number;
};

/**
 * Chosen by eye: faces and captions are no longer readable and the fill stays below the picture in brightness.
 * A σ of 2 in 48 pixels is 4 % of the output's width.
 */
export const defaultBackgroundOptions: BackgroundOptions = { smallSide: 48, sigma: 2, brightnessRatio: 0.5 };

/** @throws RangeError unless both sides are positive even numbers: chroma samples cover two pixels. */
export function checkedSize({ width, height }: Size): Size {
  if (!(width > 0 && height > 0) || width % 2 || height % 2)
    throw new RangeError(`outputSize must be positive even numbers, not ${width}×${height}.`);
  return { width, height };
}

/** The nearest even number. */
const even = (value: number): number => 2 * Math.round(value / 2);

/** The panel's place, on even pixels and inside the output; undefined when nothing of it is left. */
export function placeOf({ output }: DrawPanel, size: Size): PixelBox | undefined {
  const x = Math.max(0, even(output.x));
  const y = Math.max(0, even(output.y));
  const width = Math.min(size.width, even(output.x + output.width)) - x;
  const height = Math.min(size.height, even(output.y + output.height)) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : undefined;
}

/** Catmull-Rom where the picture is magnified, a tent as wide as needed where it shrinks: sharp, and no aliases. */
export function layerOf(
  panel: DrawPanel,
  place: PixelBox,
  { size, display }: Pick<Planes, 'size' | 'display'>,
): Layer {
  const { source, output } = panel;
  const map = (
    from: number,
    length: number,
    to: { from: number; length: number; first: number; outputs: number },
    scale: number,
    inputs: number,
  ) => {
    const step = (length / to.length) * scale;
    // What the rounding to even pixels cut off or added is seen, not squeezed.
    const stretch = { from: from * scale + (to.first - to.from) * step, step, outputs: to.outputs, inputs };
    return step > 1 ? tentTaps(stretch) : cubicTaps(stretch);
  };
  return {
    output: place,
    across: map(
      source.x,
      source.width,
      { from: output.x, length: output.width, first: place.x, outputs: place.width },
      size.width / display.width,
      size.width,
    ),
    down: map(
      source.y,
      source.height,
      { from: output.y, length: output.height, first: place.y, outputs: place.height },
      size.height / display.height,
      size.height,
    ),
  };
}

/** The picture scaled to cover the output, centred, blurred in a small copy. */
export function backgroundOf(
  output: Size,
  { size, display }: Pick<Planes, 'size' | 'display'>,
  { smallSide, sigma }: BackgroundOptions,
): Background {
  const cover = Math.max(output.width / display.width, output.height / display.height);
  const reduce = smallSide / Math.min(output.width, output.height);
  const map = (outputs: number, displayed: number, inputs: number) => {
    const smallOutputs = Math.max(2, even(outputs * reduce));
    const scale = inputs / displayed;
    const seen = (outputs / cover) * scale;
    const reduced = areaTaps({
      from: (inputs - seen) / 2,
      step: seen / smallOutputs,
      outputs: smallOutputs,
      inputs,
    });
    return {
      reduce: reduced,
      blur: gaussianTaps(smallOutputs, sigma),
      stretch: bilinearTaps({ from: 0, step: smallOutputs / outputs, outputs, inputs: smallOutputs }),
    };
  };
  const x = map(output.width, display.width, size.width);
  const y = map(output.height, display.height, size.height);
  return {
    small: { width: x.blur.length, height: y.blur.length },
    reduce: { across: x.reduce, down: y.reduce },
    blur: { across: x.blur, down: y.blur },
    layer: { output: { x: 0, y: 0, ...output }, across: x.stretch, down: y.stretch },
  };
}

/** Rows of the output that no panel of full width covers, as [from, to) pairs in order. */
export function uncoveredRows(places: readonly PixelBox[], { width, height }: Size): [number, number][] {
  let free: [number, number][] = [[0, height]];
  for (const { y, height: rows } of places.filter(place => place.width === width))
    free = free.flatMap(([from, to]) =>
      (
        [
          [from, Math.min(to, y)],
          [Math.max(from, y + rows), to],
        ] as [number, number][]
      ).filter(([a, b]) => a < b),
    );
  return free;
}
