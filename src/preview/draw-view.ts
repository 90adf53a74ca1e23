import type { CropAt } from '../core/plan/crop-at.js';
import { backgroundOf, fillSource, isFreeAbove } from '../core/plan/fill-source.js';
import type { PixelBox, Size } from '../schema/geometry.js';

/** What is drawn from: an upright picture, as an element shows it, and its size in its own pixels. */
export type PreviewPicture = { readonly image: CanvasImageSource; readonly size: Size };

/** A picture over a view, such as a caption, and where it belongs, in pixels of the plan's output. */
export type PreviewOverlay = { readonly image: CanvasImageSource; readonly box: PixelBox };

/** How the fill behind panels looks in a preview. */
export type PreviewFillOptions = {
  /** Shorter side of the reduced copy in pixels; stretched again it is a blur, and needs no filter that browsers may lack. */
  readonly smallSide: number;
  /** Brightness of the fill against the picture, 0–1. */
  readonly brightnessRatio: number;
  /** How much of the picture an edge is, for a gradient: a share of the side that it lies across. */
  readonly edgeRatio: number;
};

/** As soft and as dark, by eye, as the fill of a rendered clip. */
export const defaultPreviewFillOptions: PreviewFillOptions = {
  smallSide: 14,
  brightnessRatio: 0.5,
  edgeRatio: 0.04,
};

/** Draws what a plan shows at one moment. */
export type ViewPainter = {
  /**
   * @param view - In pixels of the plan's source and output.
   * @param plan - The sizes that these pixels are of.
   */
  paint(picture: PreviewPicture, view: CropAt, plan: PlanSizes): void;
  /** Draws over what was painted last. @param output - The size that the overlay's box is of. */
  paintOver(overlay: PreviewOverlay, output: Size): void;
};

/** Sizes of a plan's source and output in pixels. */
type PlanSizes = { readonly source: Size; readonly output: Size };

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

  /** Draws a part of the picture into a small canvas, and that over the whole output. */
  const stretch = (
    width: number,
    height: number,
    draw: (context: OffscreenCanvasRenderingContext2D) => void,
  ) => {
    if (small?.width !== width || small.height !== height) small = new OffscreenCanvas(width, height);
    const smallContext = small.getContext('2d')!;
    smallContext.imageSmoothingQuality = 'medium';
    draw(smallContext);
    // Half of the outermost pixels would be stretched to nothing else but themselves: cut off, as the rest is blurred.
    context.drawImage(small, 0.5, 0.5, width - 1, height - 1, 0, 0, canvas.width, canvas.height);
  };
  const drawBlur = ({ image }: PreviewPicture, part: PixelBox) => {
    const scale = options.smallSide / Math.min(canvas.width, canvas.height);
    const width = Math.max(2, Math.round(canvas.width * scale));
    const height = Math.max(2, Math.round(canvas.height * scale));
    const cover = coverOf(part, { width, height });
    stretch(width, height, to => {
      to.drawImage(image, cover.x, cover.y, cover.width, cover.height, 0, 0, width, height);
    });
    context.globalAlpha = 1 - options.brightnessRatio;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.globalAlpha = 1;
  };
  const drawGradient = ({ image }: PreviewPicture, part: PixelBox, isDown: boolean) => {
    const along = isDown ? part.height : part.width;
    const edge = along * options.edgeRatio;
    // Two pixels across, so that the cut of half a pixel leaves both of the colours whole.
    stretch(2, 2, to => {
      for (const end of [0, 1]) {
        const from = end ? along - edge : 0;
        if (isDown) to.drawImage(image, part.x, part.y + from, part.width, edge, 0, end, 2, 1);
        else to.drawImage(image, part.x + from, part.y, edge, part.height, end, 0, 1, 2);
      }
    });
  };
  /** What is seen where no panel lies. */
  const drawFill = (picture: PreviewPicture, view: CropAt, plan: PlanSizes) => {
    const part = scaled(fillSource(view.panels), plan.source, picture.size);
    const background = backgroundOf(view);
    if (background === 'blur') drawBlur(picture, part);
    else if (background === 'gradient') drawGradient(picture, part, isFreeAbove(view.panels, plan.output));
    else {
      if (background === 'colour') context.fillStyle = view.backgroundColour ?? '#000';
      context.fillRect(0, 0, canvas.width, canvas.height);
    }
  };

  return {
    paint(picture, view, plan) {
      context.fillStyle = '#000';
      context.imageSmoothingQuality = 'medium';
      if (!isCovered(view, plan.output)) drawFill(picture, view, plan);
      for (const { source, output, cornerRadius = 0 } of view.panels) {
        const from = scaled(source, plan.source, picture.size);
        const to = scaled(output, plan.output, canvas);
        if (cornerRadius) {
          context.save();
          context.beginPath();
          context.roundRect(
            to.x,
            to.y,
            to.width,
            to.height,
            (cornerRadius * canvas.width) / plan.output.width,
          );
          context.clip();
        }
        context.drawImage(
          picture.image,
          ...([from.x, from.y, from.width, from.height] as const),
          ...([to.x, to.y, to.width, to.height] as const),
        );
        if (cornerRadius) context.restore();
      }
    },
    paintOver({ image, box }, output) {
      context.imageSmoothingQuality = 'high';
      const { x, y, width, height } = scaled(box, output, canvas);
      context.drawImage(image, x, y, width, height);
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

/** The middle of a part of the picture, in the aspect of a frame. */
function coverOf(part: PixelBox, frame: Size): PixelBox {
  const scale = Math.min(part.width / frame.width, part.height / frame.height);
  const [width, height] = [frame.width * scale, frame.height * scale];
  return { x: part.x + (part.width - width) / 2, y: part.y + (part.height - height) / 2, width, height };
}

/** A box in pixels of one size, in pixels of another. */
function scaled(box: PixelBox, from: Size, to: Size): PixelBox {
  const [across, down] = [to.width / from.width, to.height / from.height];
  return { x: box.x * across, y: box.y * down, width: box.width * across, height: box.height * down };
}

const isCovered = ({ panels }: CropAt, output: Size): boolean =>
  panels.some(
    panel =>
      !panel.cornerRadius && panel.output.width >= output.width && panel.output.height >= output.height,
  );
