import { overlapArea } from '../../core/box.js';
import { clamp } from '../../core/series.js';
import type { CaptionStyle } from '../../schema/caption-style.js';
import type { PixelBox, Size } from '../../schema/geometry.js';
import type { TimeRange } from '../../schema/time.js';
import type { CaptionStretch } from './caption-stretches.js';
import { autoBottom, safeArea } from './safe-area.js';

/** Where a caption stands for a time: its lines are centred around a point, in output pixels. */
export type CaptionPlace = TimeRange & {
  /** Index of the caption. */
  readonly caption: number;
  /** The middle of the output, unless faces leave room only beside them. */
  readonly middleX: number;
  readonly middleY: number;
  /** How much smaller than usual the letters are, for want of room beside faces: 1 is not. */
  readonly scaleRatio: number;
  /** Whether a face is covered although everything was tried. */
  readonly coversFace: boolean;
};

export type PlaceOptions = {
  readonly output: Size;
  readonly position: CaptionStyle['position'];
  /** Size of a caption's lines in output pixels, with what is drawn around them. */
  readonly sizeOf: (caption: number) => Size;
};

/** Where no place is free, not even beside the middle, letters are made smaller, in these steps. */
const scales = [1, 0.85, 0.7];
/** Places that are tried, in heights of the output from one to the next. */
const stepRatio = 0.005;
// What a place costs, against being a whole output's height away from where captions belong.
const perLettering = 3;
const perMove = 0.06;
const perShift = 0.5;
/** For all of a caption over a face. */
const perFace = 1000;

/**
 * Finds a place for each stretch: inside the safe area, over no face, over no lettering where that can be had, near to
 * where the style wants captions. All captions of a view stand in one place where one is free for all of them; where not,
 * each finds its own. Views that follow each other keep the place where it is as good.
 */
export function placeCaptions(stretches: readonly CaptionStretch[], options: PlaceOptions): CaptionPlace[] {
  const views = new Map<number, CaptionStretch[]>();
  for (const stretch of [...stretches].sort((a, b) => a.startSec - b.startSec)) {
    const own = views.get(stretch.view);
    if (own) own.push(stretch);
    else views.set(stretch.view, [stretch]);
  }
  let lastY: number | undefined;
  return [...views.values()].flatMap(own => {
    const sizes = own.map(({ caption }) => options.sizeOf(caption));
    const height = Math.max(...sizes.map(size => size.height));
    // A place that is free for the widest line there can be stays the same when a word is corrected.
    const widths = [safeArea(options.output).width, Math.max(...sizes.map(size => size.width))];
    const shared = widths
      .map(width => findSpot(own, { width, height }, options, { lastY, middles: ['middle'] }))
      .find(({ facesRatio }) => facesRatio === 0);
    return own.map(({ caption, startSec, endSec, faces, lettering }, i) => {
      const tryScale = (scaleRatio: number) => {
        const { width, height } = sizes[i]!;
        const size = { width: width * scaleRatio, height: height * scaleRatio };
        const spot = findSpot([{ faces, lettering }], size, options, {
          lastY,
          middles: ['middle', 'left', 'right'],
        });
        return { ...spot, scaleRatio };
      };
      const spot =
        (shared && { ...shared, scaleRatio: 1 }) ??
        scales.map(tryScale).find(({ facesRatio }) => facesRatio === 0) ??
        // Smaller letters would cover a face too, and be harder to read.
        tryScale(1);
      const { middleX, middleY, facesRatio, scaleRatio } = spot;
      lastY = middleY;
      return { caption, startSec, endSec, middleX, middleY, scaleRatio, coversFace: facesRatio > 0 };
    });
  });
}

type Spot = {
  readonly middleX: number;
  readonly middleY: number;
  readonly facesRatio: number;
  readonly cost: number;
};

/** Where the view before had its captions, and which places across are tried. */
type Search = {
  readonly lastY: number | undefined;
  readonly middles: readonly ('left' | 'middle' | 'right')[];
};

/** The best place for lines of a size. */
function findSpot(
  seen: readonly Pick<CaptionStretch, 'faces' | 'lettering'>[],
  { width, height }: Size,
  { output, position }: PlaceOptions,
  { lastY, middles }: Search,
): Spot {
  const area = safeArea(output);
  const [highest, lowest] = [
    area.y + height / 2,
    Math.max(area.y, area.y + area.height - height) + height / 2,
  ];
  const wishedY = clamp(
    {
      auto: autoBottom(output) - height / 2,
      top: highest,
      middle: output.height / 2,
      bottom: lowest,
    }[position],
    highest,
    lowest,
  );
  const steps = Math.ceil((lowest - highest) / (stepRatio * output.height));
  const tried = [
    wishedY,
    ...(lastY === undefined ? [] : [clamp(lastY, highest, lowest)]),
    ...Array.from({ length: steps + 1 }, (_, i) => highest + (i / Math.max(1, steps)) * (lowest - highest)),
  ];
  const aside = Math.max(0, area.width - width) / 2;
  const shifts = { left: -aside, middle: 0, right: aside };
  const all = middles.flatMap(name => tried.map(middleY => ({ shift: shifts[name], middleY })));
  const faces = seen.flatMap(stretch => stretch.faces);
  const lettering = seen.flatMap(stretch => stretch.lettering);
  const features = faces.map(featuresOf);
  const spots = all.map(({ shift, middleY }) => {
    const middleX = output.width / 2 + shift;
    const lines = { x: middleX - width / 2, y: middleY - height / 2, width, height };
    const share = (boxes: readonly PixelBox[]) =>
      Math.max(0, ...boxes.map(box => overlapArea(lines, box))) / (width * height);
    const facesRatio = share(faces);
    const cost =
      perFace * (facesRatio + share(features)) +
      perLettering * share(lettering) +
      (lastY === undefined || middleY === lastY ? 0 : perMove) +
      (shift ? perShift : 0) +
      Math.abs(middleY - wishedY) / output.height;
    return { middleX, middleY, facesRatio, cost };
  });
  return spots.reduce((best, spot) => (spot.cost < best.cost ? spot : best));
}

/** Brows to mouth: where a face fills the picture, captions are over the forehead or the chin rather than there. */
const featuresOf = ({ x, y, width, height }: PixelBox): PixelBox => ({
  ...{ x, width },
  y: y + 0.18 * height,
  height: 0.72 * height,
});
