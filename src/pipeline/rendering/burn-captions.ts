import { createCaptionPainter } from '../../captions/burn/caption-painter.js';
import type { CaptionStretch } from '../../captions/burn/caption-stretches.js';
import { loadFont } from '../../captions/burn/load-font.js';
import type { Caption } from '../../captions/captions.js';
import type { Overlay } from '../../compositing/compositor.js';
import { sha256Hex } from '../../identity/sha256-hex.js';
import type { CaptionStyle } from '../../schema/caption-style.js';
import type { Size } from '../../schema/geometry.js';

/** Captions that are drawn into the picture; plain data. */
export type BurnTask = {
  /** On the source's clock. */
  readonly captions: readonly Caption[];
  /** BCP 47 tag. */
  readonly language: string;
  readonly style: CaptionStyle;
  /** Where of these captions what is seen, as `captionStretches` finds it. */
  readonly stretches: readonly CaptionStretch[];
};

/** Captions as a render needs them. */
export type CaptionBurner = {
  /** What lies over the frame of a time of the source; the same object while nothing changes. */
  overlayAt(timeSec: number): Overlay | undefined;
  /** What captions show from one time of the source to another, both included: plain data. */
  shownBetween(firstSec: number, lastSec: number): object[];
  /** What could not be done, as sentences. */
  readonly fallbacks: readonly string[];
};

/** @throws ReframeError `invalid_request` where the style's font cannot be loaded. */
export async function createCaptionBurner(
  { captions, language, style: asked, stretches }: BurnTask,
  output: Size,
): Promise<CaptionBurner> {
  const { style, bytes } = await loadFont(asked);
  const font = bytes && (await sha256Hex(bytes));
  const painter = createCaptionPainter({ captions, language, style, stretches, output });
  let last: { readonly image: OffscreenCanvas; readonly overlay: Overlay } | undefined;
  const covering = new Set(
    painter.places.flatMap(({ coversFace, caption }) => (coversFace ? [caption] : [])),
  );
  return {
    overlayAt(timeSec) {
      const picture = painter.at(timeSec);
      if (!picture) return undefined;
      const { image, box } = picture;
      if (last?.image !== image) {
        const { data } = image.getContext('2d')!.getImageData(0, 0, box.width, box.height);
        last = { image, overlay: { box, rgba: data as Uint8ClampedArray<ArrayBuffer> } };
      }
      return last.overlay;
    },
    // The family that a font is loaded under is another one each time.
    shownBetween: (firstSec, lastSec) =>
      painter
        .shownBetween(firstSec, lastSec)
        .map(shown => ({ ...shown, style: asked, ...(font && { font }) })),
    fallbacks: covering.size
      ? [
          `${covering.size} of ${captions.length} captions cover a face: no place in the safe area was free of faces.`,
        ]
      : [],
  };
}
