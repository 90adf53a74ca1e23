import type { Recipe } from './drawn-clips.js';

type Base = { readonly id: string; readonly source: string; readonly startSec: number };
/** Middle of the thing that moves, in 1280×720, at a time. */
export const pathAt = (timeSec: number): { readonly x: number; readonly y: number } => ({
  x: 640 + 420 * Math.sin(1.1 * timeSec),
  y: 360 + 180 * Math.cos(1.7 * timeSec),
});
const thing = 90;

/** Something that moves over a real clip, before a camera that stands and one that pans. */
export function motionRecipes({ id, source, startSec }: Base): Recipe[] {
  const half = thing / 2;
  const moving = `color=c=0xe8a040:s=${thing}x${thing}:r=25[c];[b][c]overlay=x='640+420*sin(1.1*t)-${half}':y='360+180*cos(1.7*t)-${half}':shortest=1`;
  const shown = {
    still: 'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720',
    panning: `scale=1600:900:force_original_aspect_ratio=increase,crop=1280:720:x='160+120*sin(0.6*t)':y=90`,
  };
  return Object.entries(shown).map(([kind, filters]) => ({
    ...{
      name: `${id}-moving-${kind}`,
      kind: `thing moves, camera ${kind}`,
      source,
      startSec,
      durationSec: 6,
    },
    ...{ bars: 'none', picture: { x: 0, y: 0, width: 1280, height: 720 }, rectangles: [] },
    filters: `${filters}[b];${moving}`,
  }));
}
