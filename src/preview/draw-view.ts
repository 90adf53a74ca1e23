import type { CropAt } from '../core/plan/crop-at.js';
import type { PixelBox, Size } from '../schema/geometry.js';

/** What is drawn from: an upright picture, as an element shows it, and its size in its own pixels. */
export type PreviewPicture = { readonly image: CanvasImageSource; readonly size: Size };

/** How the fill around a `fit` picture looks in a preview. */
export type PreviewFillOptions = {
  /** Shorter side of the reduced copy in pixels; stretched again it is a blur, and needs no filter that browsers may lack. */
  readonly smallSide: number;
  /** Brightness of the fill against the picture, 0–1. */
  readonly brightnessRatio: number;
};

/** As soft and as dark, by eye, as the fill of a rendered clip. */
export const defaultPreviewFillOptions: PreviewFillOptions = { smallSide: 14, brightnessRatio: 0.5 };

/** Draws what a plan shows at one moment. */
export type ViewPainter = {
  /**
   * @param view - In pixels of the plan's source and output.
   * @param plan - The sizes that these pixels are of.
   */
  paint(picture: PreviewPicture, view: CropAt, plan: { readonly source: Size; readonly output: Size }): void;
};

/**
 * Builds a painter for a canvas; it fills whatever size the canvas has.
 *
 * @throws Error where the canvas has another kind of context already.
 */
export function createViewPainter(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  options: PreviewFillOptions = defaultPreviewFillOptions,
): ViewPainter {
  const context = contextOf(canvas);
  let small: OffscreenCanvas | undefined;

  const drawFill = ({ image, size }: PreviewPicture) => {
    const scale = options.smallSide / Math.min(canvas.width, canvas.height);
    const width = Math.max(2, Math.round(canvas.width * scale));
    const height = Math.max(2, Math.round(canvas.height * scale));
    if (small?.width !== width || small.height !== height) small = new OffscreenCanvas(width, height);
    const smallContext = small.getContext('2d')!;
    smallContext.imageSmoothingQuality = 'medium';
    const cover = coverOf(size, { width, height });
    smallContext.drawImage(image, cover.x, cover.y, cover.width, cover.height, 0, 0, width, height);
    // Half of the outermost pixels would be stretched to nothing else but themselves: cut off, as the rest is blurred.
    context.drawImage(small, 0.5, 0.5, width - 1, height - 1, 0, 0, canvas.width, canvas.height);
    context.globalAlpha = 1 - options.brightnessRatio;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.globalAlpha = 1;
  };

  return {
    paint(picture, view, plan) {
      context.fillStyle = '#000';
      context.imageSmoothingQuality = 'medium';
      if (view.background === 'blur') drawFill(picture);
      else if (!isCovered(view, plan.output)) context.fillRect(0, 0, canvas.width, canvas.height);
      for (const { source, output } of view.panels) {
        const from = scaled(source, plan.source, picture.size);
        const to = scaled(output, plan.output, canvas);
        context.drawImage(
          picture.image,
          from.x,
          from.y,
          from.width,
          from.height,
          to.x,
          to.y,
          to.width,
          to.height,
        );
      }
    },
  };
}

function contextOf(canvas: HTMLCanvasElement | OffscreenCanvas) {
  // Nothing shines through a preview; saying so saves the browser the blending.
  const context = canvas.getContext('2d', { alpha: false }) as
    | CanvasRenderingContext2D
    | OffscreenCanvasRenderingContext2D
    | null;
  if (!context) throw new Error('The canvas has another kind of context; a preview needs a 2D one.');
  return context;
}

/** The middle part of a picture that has the aspect of a frame. */
function coverOf(picture: Size, frame: Size): PixelBox {
  const scale = Math.min(picture.width / frame.width, picture.height / frame.height);
  const [width, height] = [frame.width * scale, frame.height * scale];
  return { x: (picture.width - width) / 2, y: (picture.height - height) / 2, width, height };
}

/** A box in pixels of one size, in pixels of another. */
function scaled(box: PixelBox, from: Size, to: Size): PixelBox {
  const [across, down] = [to.width / from.width, to.height / from.height];
  return { x: box.x * across, y: box.y * down, width: box.width * across, height: box.height * down };
}

const isCovered = ({ panels }: CropAt, output: Size): boolean =>
  panels.some(panel => panel.output.width >= output.width && panel.output.height >= output.height);
