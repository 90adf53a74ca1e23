import type { PixelBox, Size } from '../../schema/geometry.js';
import type { PlanRequest } from '../../schema/plan.js';
import { unionBox } from '../box.js';
import { clamp } from '../series.js';

export type LayoutOptions = {
  /** The window closes in until a face has this share of the output's height. Portrait viewers hold phones. */
  readonly minFaceRatio: number;
  /** But never so far that source pixels are drawn larger than this many output pixels … */
  readonly maxUpscale: number;
  /** … except this little, where a small source is drawn larger than that anyway. */
  readonly minZoom: number;
  /** The window of a panel among others closes in until the face has this share of the panel's height; … */
  readonly panelFaceRatio: number;
  /** … in a small panel until it has this share of the output's, and no more than half of the panel's. */
  readonly smallPanelFaceRatio: number;
};

export const defaultLayoutOptions: LayoutOptions = {
  minFaceRatio: 0.09,
  maxUpscale: 2.5,
  minZoom: 1.25,
  panelFaceRatio: 0.3,
  smallPanelFaceRatio: 0.1,
};

/** Shorter sides of pictures that players, networks and encoders are used to, in pixels. */
const usualShortSides = [720, 1080, 1440, 2160];

/**
 * Output size in pixels: both sides even, as video encoders need, and as near to the aspect as that allows. `auto` takes
 * the usual size whose shorter side is nearest to the source's.
 */
export function outputSize(
  { aspect, outputHeight }: Pick<PlanRequest, 'aspect' | 'outputHeight'>,
  source: Size,
): Size {
  const even = (value: number) => Math.max(2, 2 * Math.round(value / 2));
  const height = outputHeight === 'auto' ? usualHeight(aspect, source) : outputHeight;
  return { width: even((height * aspect.width) / aspect.height), height: even(height) };
}

function usualHeight(aspect: Size, source: Size): number {
  const own = Math.min(source.width, source.height);
  const [first, ...larger] = usualShortSides;
  const side = larger.reduce(
    (best, next) => (Math.abs(next - own) < Math.abs(best - own) ? next : best),
    first!,
  );
  return side * Math.max(1, aspect.height / aspect.width);
}

/** The largest window of the output's aspect inside the source: full height, or full width for wide outputs. */
export function nominalCrop(source: Size, output: Size): Size {
  const aspect = output.width / output.height;
  return source.width / source.height > aspect
    ? { width: source.height * aspect, height: source.height }
    : { width: source.width, height: source.width / aspect };
}

/**
 * The window for faces of a given height: the nominal one, or a smaller one where faces would be too small
 * to read. A window of full width stays: whoever asks for a wide picture wants the width.
 */
export function cropForFace(
  faceHeight: number,
  { source, output }: { source: Size; output: Size },
  options: LayoutOptions = defaultLayoutOptions,
): Size {
  const nominal = nominalCrop(source, output);
  if (nominal.width >= source.width - 0.5 || !(faceHeight > 0)) return nominal;
  const maxZoom = Math.max(options.minZoom, (options.maxUpscale * nominal.height) / output.height);
  const zoom = clamp((options.minFaceRatio * nominal.height) / faceHeight, 1, maxZoom);
  return { width: nominal.width / zoom, height: nominal.height / zoom };
}

/**
 * The window of a face in a panel of its own: close enough to make up for the smaller panel, without the other faces that
 * have panels, and no larger than what a window for the whole output would be enlarged to.
 */
export function cropForPanel(
  face: PixelBox,
  panel: Size,
  { picture, output, others }: { picture: PixelBox; output: Size; others: readonly PixelBox[] },
  options: LayoutOptions = defaultLayoutOptions,
): Size {
  const nominal = nominalCrop(picture, panel);
  const alone = nominalCrop(picture, output);
  const maxScale = Math.max(options.maxUpscale, (options.minZoom * output.height) / alone.height);
  const readable = (options.smallPanelFaceRatio * output.height) / panel.height;
  const wanted = face.height / clamp(readable, options.panelFaceRatio, 0.5);
  const apart = others.map(other => heightApart(face, other, { picture, panel }));
  // However near the others are, the face itself needs room.
  const least = Math.max(1.6 * face.height, (1.3 * face.width * panel.height) / panel.width);
  const height = clamp(
    Math.max(least, Math.min(wanted, ...apart)),
    Math.min(nominal.height, panel.height / maxScale),
    nominal.height,
  );
  return { width: (height * panel.width) / panel.height, height };
}

/**
 * How high the window of a face may be that leaves to another face its part of the picture: they are divided between
 * both, where they are farther apart, in proportion to their sizes. Windows stay inside the picture, so that one near
 * an edge reaches farther to the other side.
 */
function heightApart(
  face: PixelBox,
  other: PixelBox,
  { picture, panel }: { picture: PixelBox; panel: Size },
): number {
  const left = face.x - (other.x + other.width);
  const right = other.x - (face.x + face.width);
  const up = face.y - (other.y + other.height);
  const down = other.y - (face.y + face.height);
  const gap = Math.max(left, right, up, down);
  const own = (gap * face.height) / (face.height + other.height);
  const isAcross = gap === left || gap === right;
  const size = isAcross ? face.width : face.height;
  // To the far edge of the picture: all that a window pushed back inside could take.
  const behind = isAcross
    ? gap === left
      ? picture.x + picture.width - face.x
      : face.x + face.width - picture.x
    : gap === up
      ? picture.y + picture.height - face.y
      : face.y + face.height - picture.y;
  const most = Math.min(size + 2 * own, behind + own);
  return isAcross ? (most * panel.height) / panel.width : most;
}

/** Room around the heads of a group: beside and above them, and below for their shoulders, in heights of the tallest. */
const groupRoom = { side: 0.5, above: 0.6, below: 1 };

/**
 * The smallest window that holds several faces and fills the output as well as their width allows: as high as it can be
 * where they are far apart, in the output's aspect where they are near.
 */
export function groupCrop(
  faces: readonly PixelBox[],
  { picture, output }: { picture: PixelBox; output: Size },
): PixelBox {
  const union = faces.reduce(unionBox);
  const tallest = Math.max(...faces.map(face => face.height));
  const nominal = nominalCrop(picture, output);
  const left = Math.max(picture.x, union.x - groupRoom.side * tallest);
  const right = Math.min(picture.x + picture.width, union.x + union.width + groupRoom.side * tallest);
  const needed = union.height + (groupRoom.above + groupRoom.below) * tallest;
  const width = Math.min(
    picture.width,
    Math.max(right - left, Math.min(nominal.width, (needed * output.width) / output.height)),
  );
  const height = clamp(
    (width * output.height) / output.width,
    Math.min(needed, picture.height),
    picture.height,
  );
  const middle = (left + right) / 2;
  const top = union.y - groupRoom.above * tallest - Math.max(0, height - needed) / 3;
  return {
    x: clamp(middle - width / 2, picture.x, picture.x + picture.width - width),
    y: clamp(top, picture.y, picture.y + picture.height - height),
    width,
    height,
  };
}
