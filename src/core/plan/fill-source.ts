import type { PixelBox } from '../../schema/geometry.js';
import type { Background, Layout } from '../../schema/plan.js';

/** What lies behind a view's panels, where they leave anything free: plans that say nothing mean a blur around `fit`. */
export const backgroundOf = (view: {
  readonly layout: Layout;
  readonly background?: Background;
}): Background => view.background ?? (view.layout === 'fit' ? 'blur' : 'black');

/**
 * The part of the source that a fill behind panels is made of: the box around everything that they show. What no panel
 * shows, bars above all, is in no fill either.
 */
export function fillSource(panels: readonly { readonly source: PixelBox }[]): PixelBox {
  const edge = (of: (box: PixelBox) => number, pick: (...values: number[]) => number) =>
    pick(...panels.map(({ source }) => of(source)));
  const x = edge(box => box.x, Math.min);
  const y = edge(box => box.y, Math.min);
  const right = edge(box => box.x + box.width, Math.max);
  const bottom = edge(box => box.y + box.height, Math.max);
  return { x, y, width: right - x, height: bottom - y };
}

/** Whether more of the output is free above and below its panels than beside them: which edges a gradient runs between. */
export function isFreeAbove(
  panels: readonly { readonly output: PixelBox }[],
  output: { readonly width: number; readonly height: number },
): boolean {
  const { width, height } = fillSource(panels.map(panel => ({ source: panel.output })));
  return output.height - height >= output.width - width;
}
