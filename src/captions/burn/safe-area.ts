import type { PixelBox, Size } from '../../schema/geometry.js';

/**
 * Shares of the output that players and apps lay their own signs over.
 *
 * Portrait: the largest margins of unpaid clips in the three large apps, as they stood in 2026: 14 % at the top (Meta's
 * Business Help Center, Reels and Stories), 25 % at the bottom (title and channel of YouTube Shorts, 480 of 1920 pixels;
 * TikTok 370, Reels 450), 11 % at the right (TikTok's buttons, 120 of 1080 pixels) and as much at the left, so that
 * lines stand in the middle. Meta asks 35 % at the bottom of advertisements: `auto` keeps above that where faces allow.
 * Square and 4:5: 6 %, Meta's 64 of 1080 pixels for feeds. Landscape: 5 %, the graphics safe area of EBU R 95.
 */
const margins = {
  portrait: { top: 0.14, bottom: 0.25, side: 0.11 },
  feed: { top: 0.06, bottom: 0.06, side: 0.06 },
  landscape: { top: 0.05, bottom: 0.05, side: 0.05 },
} as const;

/** Taller than 7:10 is a portrait clip of an app, wider than 6:5 a landscape one. */
const shapeOf = ({ width, height }: Size): keyof typeof margins => {
  if (width / height < 0.7) return 'portrait';
  return width / height > 1.2 ? 'landscape' : 'feed';
};

/** Where captions may stand, in output pixels. */
export function safeArea(output: Size): PixelBox {
  const { top, bottom, side } = margins[shapeOf(output)];
  const { width, height } = output;
  return {
    x: side * width,
    y: top * height,
    width: (1 - 2 * side) * width,
    height: (1 - top - bottom) * height,
  };
}

/** Lower end of captions that stand where they like: above the strip that Meta keeps of advertisements, or a line above the edge. */
export function autoBottom(output: Size): number {
  const { y, height } = safeArea(output);
  return shapeOf(output) === 'portrait' ? 0.65 * output.height : y + height - 0.03 * output.height;
}

/** How many characters a line should have so that letters of the usual size fit. */
export const burnedCharacters = (output: Size): number => (shapeOf(output) === 'landscape' ? 32 : 18);
