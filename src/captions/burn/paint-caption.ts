import type { CaptionStyle } from '../../schema/caption-style.js';
import type { CaptionState } from './caption-state.js';
import type { TypesetCaption, TypesetWord } from './typeset-caption.js';

/** Radius of a box' corners, font sizes. */
const cornerRatio = 0.3;

/** The font of a style as Canvas 2D takes it. */
export const fontOf = (
  { fontWeight, fontFamily }: Pick<CaptionStyle, 'fontWeight' | 'fontFamily'>,
  sizePx: number,
): string => `${fontWeight} ${sizePx}px ${fontFamily}`;

/**
 * Draws a caption onto a clear canvas, its left top corner at the context's origin. Outlines come before all letters, so
 * that none lies over a neighbour.
 */
export function paintCaption(
  context: OffscreenCanvasRenderingContext2D,
  { size, fontSizePx, direction, words }: TypesetCaption,
  { shown, heard, swell }: CaptionState,
  style: CaptionStyle,
): void {
  if (style.look === 'box') {
    context.globalAlpha = style.boxOpacityRatio;
    context.fillStyle = style.boxColour;
    context.beginPath();
    context.roundRect(0, 0, size.width, size.height, cornerRatio * fontSizePx);
    context.fill();
    context.globalAlpha = 1;
  }
  context.direction = direction;
  context.textAlign = 'center';
  context.textBaseline = 'alphabetic';
  context.lineJoin = 'round';
  const seen = words.slice(0, shown);
  const draw = (word: TypesetWord, i: number, how: 'strokeText' | 'fillText') => {
    const sizePx = fontSizePx * (i === heard ? swell : 1);
    context.font = fontOf(style, sizePx);
    // Letters without stems below hang a third of a font size below the middle of their line.
    context[how](word.text, word.x + word.width / 2, word.middleY + 0.35 * sizePx);
  };
  if (style.look !== 'box' && style.outlineRatio > 0) {
    context.strokeStyle = style.outlineColour;
    // Half of a stroke lies under the letter.
    context.lineWidth = 2 * style.outlineRatio * fontSizePx;
    seen.forEach((word, i) => {
      draw(word, i, 'strokeText');
    });
  }
  seen.forEach((word, i) => {
    context.fillStyle = i === heard ? style.highlightColour : style.colour;
    draw(word, i, 'fillText');
  });
}
