import * as v from 'valibot';

/** A width and a height in pixels. */
export type Size = { readonly width: number; readonly height: number };

/** A box in pixels of the displayed frame (after rotation and pixel aspect); `x`, `y` is the top left corner. */
export type PixelBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A box in 0–1 of the displayed frame; `x`, `y` is the top left corner. */
export type NormBox = PixelBox;

/** A point in pixels of the displayed frame. */
export type PixelPoint = { readonly x: number; readonly y: number };

/** Wire form of {@link PixelBox}: the four fields as finite numbers. */
export const pixelBoxEntries = {
  x: v.pipe(v.number(), v.finite()),
  y: v.pipe(v.number(), v.finite()),
  width: v.pipe(v.number(), v.finite(), v.minValue(0)),
  height: v.pipe(v.number(), v.finite(), v.minValue(0)),
};

export const pixelBoxSchema = v.object(pixelBoxEntries);
