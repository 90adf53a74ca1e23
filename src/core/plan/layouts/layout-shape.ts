import type { PixelBox, Size } from '../../../schema/geometry.js';

/** What a layout is asked for: panels of an output. */
export type LayoutAsk = {
  /** Pixels, even numbers. */
  readonly output: Size;
  /** Gap between panels in pixels. */
  readonly gapPx: number;
  /** Rank of the panel that should be larger, where the layout can do that. */
  readonly lead?: number;
  /** Size of what is shown whole (a screen, a group, the picture): only its aspect counts. */
  readonly content?: Size;
  /** The corner of the output in which an inset disturbs least; default at the bottom right. */
  readonly corner?: Corner;
};

export type Corner = { readonly right: boolean; readonly bottom: boolean };

/** One way of dividing the output. */
export type LayoutShape = {
  /** How many faces have a panel: from, to. */
  readonly faces: readonly [least: number, most: number];
  /** Whether a panel shows slides or a screen, in front of those of the faces. */
  readonly hasScreen?: true;
  /**
   * Where the panels lie, in output pixels with even numbers: later ones over earlier ones, faces in the order in which
   * they are on screen. They lie inside the output; whatever they leave free is the background's.
   */
  panels(ask: LayoutAsk): PixelBox[];
};

/** The nearest even number of pixels: chroma is stored for squares of two by two. */
export const even = (value: number): number => 2 * Math.round(value / 2);

/** Whether rows are the natural way to divide an output; a wide one is divided into columns. */
export const isUpright = ({ width, height }: Size): boolean => width <= height;

/** The two parts of a length, with a gap between them; `ratio` of what is left is the first part's. */
export function divide(
  length: number,
  ratio: number,
  gapPx: number,
): [start: number, size: number, nextStart: number, nextSize: number] {
  const gap = even(gapPx);
  const first = even((length - gap) * ratio);
  return [0, first, first + gap, length - first - gap];
}

/** The largest box of a content's aspect inside a box, in its middle, with even sides. */
export function contain(content: Size, { x, y, width, height }: PixelBox): PixelBox {
  const scale = Math.min(width / content.width, height / content.height);
  const side = (value: number, most: number) => Math.min(most, Math.max(2, even(value)));
  const inner = { width: side(content.width * scale, width), height: side(content.height * scale, height) };
  const middle = (free: number) => 2 * Math.floor(free / 4);
  return { x: x + middle(width - inner.width), y: y + middle(height - inner.height), ...inner };
}
