import { frameRateHz } from './layout.js';
import type { Panel } from './mix.js';

/** How far a face drifts, in its heights. */
const reach = 0.04;

/** Where a panel's content has drifted to, in pixels: slow ellipses, another for each panel; photos stay. */
export function driftAt(
  { area, facePx, isPhoto }: Panel,
  seed: number,
  frame: number,
): readonly [number, number] {
  if (isPhoto) return [0, 0];
  const phase = seed * 0.7 + area.x + area.y;
  const sec = frame / frameRateHz;
  return [
    reach * facePx * Math.sin((2 * Math.PI * sec) / 7.3 + phase),
    0.6 * reach * facePx * Math.sin((2 * Math.PI * sec) / 5.1 + 2 * phase),
  ];
}

/** Where a face stands in its panel. */
export const faceCentre = ({ area, facePx }: Pick<Panel, 'area' | 'facePx'>): { x: number; y: number } => ({
  x: area.width / 2,
  // Large faces need the space over their heads, small ones sit a little high.
  y: Math.max(0.44 * area.height, 0.68 * facePx),
});
