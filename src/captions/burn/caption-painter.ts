import { countBelow } from '../../core/series.js';
import type { CaptionStyle } from '../../schema/caption-style.js';
import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Caption } from '../captions.js';
import { captionStateAt } from './caption-state.js';
import type { CaptionStretch } from './caption-stretches.js';
import { fontOf, paintCaption } from './paint-caption.js';
import { type CaptionPlace, placeCaptions } from './place-captions.js';
import { type Measure, type TypesetCaption, typesetCaption } from './typeset-caption.js';

/** What is drawn over the picture: a canvas, and where it belongs, in output pixels, all four numbers even. */
export type CaptionPicture = { readonly image: OffscreenCanvas; readonly box: PixelBox };

/** Captions as pictures. */
export type CaptionPainter = {
  /** What is shown at a time of the source; the same object as before while nothing changes, undefined without a caption. */
  at(timeSec: number): CaptionPicture | undefined;
  /** All that captions show from one time to another depends on, as plain data: equal data is equal pictures. */
  shownBetween(firstSec: number, lastSec: number): object[];
  readonly places: readonly CaptionPlace[];
};

export type PainterInput = {
  /** On the source's clock. */
  readonly captions: readonly Caption[];
  /** BCP 47 tag. */
  readonly language: string;
  /** With its font loaded. */
  readonly style: CaptionStyle;
  /** Of these captions, as `captionStretches` finds them. */
  readonly stretches: readonly CaptionStretch[];
  /** Size of the output in pixels. */
  readonly output: Size;
};

/** Players and JSON round times: captions come and go this much earlier, as views do, seconds. */
const graceSec = 1e-3;
/** Room around a caption for what reaches out of its lines: tall scripts and words that pop, font sizes. */
const roomRatio = 0.4;

/**
 * Sets all captions and finds their places; drawing waits until it is asked for. Needs `OffscreenCanvas`: a page or a
 * worker.
 */
export function createCaptionPainter(input: PainterInput): CaptionPainter {
  const { captions, language, style, stretches, output } = input;
  const measure = createMeasure(style);
  const typeset = (index: number, scaleRatio: number) =>
    typesetCaption(captions[index]!, { style, output, language, scaleRatio }, measure);
  const places = placeCaptions(stretches, {
    output,
    position: style.position,
    sizeOf: index => typeset(index, 1).size,
  });
  let current: { readonly place: CaptionPlace; readonly set: TypesetCaption } | undefined;
  let last: { readonly key: string; readonly picture: CaptionPicture } | undefined;
  return {
    places,
    at(timeSec) {
      const index = countBelow(places, timeSec + graceSec, ({ startSec }) => startSec) - 1;
      const place = places[index];
      if (!place || timeSec + graceSec >= place.endSec) return undefined;
      if (current?.place !== place) current = { place, set: typeset(place.caption, place.scaleRatio) };
      const state = captionStateAt(current.set.words, timeSec, style.look);
      if (!state.shown) return undefined;
      const key = `${index} ${Object.values(state)}`;
      if (last?.key !== key) {
        const box = boxOf(current.set, place, output);
        const image = new OffscreenCanvas(box.width, box.height);
        const context = image.getContext('2d', { willReadFrequently: true })!;
        const { width, height } = current.set.size;
        context.translate(place.middleX - width / 2 - box.x, place.middleY - height / 2 - box.y);
        paintCaption(context, current.set, state, style);
        last = { key, picture: { image, box } };
      }
      return last.picture;
    },
    shownBetween: (firstSec, lastSec) =>
      places
        .filter(place => place.startSec <= lastSec + graceSec && place.endSec > firstSec - graceSec)
        .map(({ caption, ...place }) => ({ ...place, language, style, lines: captions[caption]!.lines })),
  };
}

function createMeasure(style: CaptionStyle): Measure {
  const context = new OffscreenCanvas(1, 1).getContext('2d')!;
  return (text, fontSizePx) => {
    context.font = fontOf(style, fontSizePx);
    return context.measureText(text).width;
  };
}

/** All that a caption can touch, on even pixels, inside the output. */
function boxOf(
  { size, fontSizePx }: TypesetCaption,
  { middleX, middleY }: CaptionPlace,
  output: Size,
): PixelBox {
  const room = roomRatio * fontSizePx;
  const side = (middle: number, length: number, limit: number) => {
    const from = Math.max(0, 2 * Math.floor((middle - length / 2 - room) / 2));
    const to = Math.min(limit, 2 * Math.ceil((middle + length / 2 + room) / 2));
    return [from, to - from] as const;
  };
  const [x, width] = side(middleX, size.width, output.width);
  const [y, height] = side(middleY, size.height, output.height);
  return { x, y, width, height };
}
