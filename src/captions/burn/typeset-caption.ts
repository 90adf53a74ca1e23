import type { CaptionStyle } from '../../schema/caption-style.js';
import type { Size } from '../../schema/geometry.js';
import type { Caption, CaptionLine } from '../captions.js';
import { safeArea } from './safe-area.js';
import { directionOf, visualOrder } from './text-direction.js';

/** Width of a text in pixels, in the style's font. */
export type Measure = (text: string, fontSizePx: number) => number;

/** A word where it is drawn: pixels from the left and the top of the caption, `middleY` that of its line. */
export type TypesetWord = {
  readonly text: string;
  readonly x: number;
  readonly width: number;
  readonly middleY: number;
  readonly startSec: number;
};

/** A caption with the place of each word, in the order in which they are heard. */
export type TypesetCaption = {
  /** With what is drawn around the letters. */
  readonly size: Size;
  readonly fontSizePx: number;
  readonly direction: 'ltr' | 'rtl';
  readonly words: readonly TypesetWord[];
};

export type TypesetOptions = {
  readonly style: CaptionStyle;
  readonly output: Size;
  /** BCP 47 tag, for capitals. */
  readonly language: string;
  /** Factor on the size of letters. */
  readonly scaleRatio: number;
};

/** From one line to the next, font sizes. */
const lineRatio = 1.25;
/** Around the lines, font sizes: within the edges of a box. */
const boxPadding = { x: 0.45, y: 0.2 };
/** Lines that are too long get smaller by whole steps, so that captions one after the other seldom differ. */
const shrinkStep = 1 / 16;

/** Sets lines as they are, centred, in letters of the style's size, or smaller where a line would leave the safe area. */
export function typesetCaption(
  { lines }: Caption,
  { style, output, language, scaleRatio }: TypesetOptions,
  measure: Measure,
): TypesetCaption {
  const wishedPx = style.sizeRatio * Math.min(output.width, output.height);
  const written = lines.map(line => piecesOf(line, style, language));
  const direction = directionOf(lines.map(({ text }) => text).join(' ')) ?? 'ltr';
  const padding = style.look === 'box' ? boxPadding : { x: style.outlineRatio, y: style.outlineRatio };
  const lengthOf = (line: readonly Piece[], px: number) =>
    line.reduce((sum, { text, spaced }) => sum + measure(text, px) + (spaced ? measure(' ', px) : 0), 0);
  const widestPx = Math.max(...written.map(line => lengthOf(line, wishedPx))) + 2 * padding.x * wishedPx;
  const fit = safeArea(output).width / widestPx;
  const shrink = fit >= 1 ? 1 : Math.max(shrinkStep, Math.floor(fit / shrinkStep) * shrinkStep);
  const fontSizePx = wishedPx * shrink * scaleRatio;
  const lengths = written.map(line => lengthOf(line, fontSizePx));
  const size = {
    width: Math.max(...lengths) + 2 * padding.x * fontSizePx,
    height: (lineRatio * lines.length + 2 * padding.y) * fontSizePx,
  };
  const words = written.flatMap((line, row) => {
    const middleY = (padding.y + lineRatio * (row + 0.5)) * fontSizePx;
    return placeLine(line, (size.width - lengths[row]!) / 2, direction, text =>
      measure(text, fontSizePx),
    ).map(word => ({ ...word, middleY }));
  });
  return { size, fontSizePx, direction, words };
}

type Piece = { readonly text: string; readonly startSec: number; readonly spaced: boolean };

/** The words of a line, and whether a space stands before each. */
function piecesOf({ text, words }: CaptionLine, { uppercase }: CaptionStyle, language: string): Piece[] {
  let at = 0;
  return words.map((word, i) => {
    const from = text.indexOf(word.text, at);
    const spaced = i > 0 && from > at;
    at = from + word.text.length;
    return {
      text: uppercase ? word.text.toLocaleUpperCase(language) : word.text,
      startSec: word.startSec,
      spaced,
    };
  });
}

function placeLine(
  line: readonly Piece[],
  left: number,
  direction: 'ltr' | 'rtl',
  measure: (text: string) => number,
): Omit<TypesetWord, 'middleY'>[] {
  const space = measure(' ');
  const order = visualOrder(
    line.map(({ text }) => text),
    direction,
  );
  const placed: Omit<TypesetWord, 'middleY'>[] = [];
  let x = left;
  order.forEach((index, place) => {
    const { text, startSec } = line[index]!;
    // The space between two neighbours belongs to whichever of them is read later.
    if (place && line[Math.max(index, order[place - 1]!)]!.spaced) x += space;
    const width = measure(text);
    placed[index] = { text, startSec, x, width };
    x += width;
  });
  return placed;
}
