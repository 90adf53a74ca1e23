import type { Look } from './look.js';
import type { BarEdge } from './plain-bars.js';
import { cellCount, cellShare, cellStart, type Side, sideOf } from './sides.js';

/** Two opposite sides, as far as one look tells whether they are blurred fill. */
export type BlurredSides = {
  /** Lines without detail from either side on, the same on both. */
  readonly quietLines: number;
  /** Where the picture begins on both sides, and in which cells that is seen on both. */
  readonly edge?: BarEdge;
};

/** Fill is at least this deep, and two leave at least a fifth of the picture. */
const [minDepth, maxDepth] = [0.06, 0.4];
/** Mean curvature of brightness, levels per pixel², in fill at most, and how much more the picture has. */
const maxFillDetail = 1.1;
const [minDetailRatio, minDetail] = [2.2, 0.3];
/** A cell of the edge steps by this many levels, and by this much more than the fill does right before. */
const minStep = 6;
const minStepRatio = 2.5;
/** An edge that fewer cells show is not told. */
const minCells = 0.25;

/**
 * A portrait picture inside of a landscape one, with a blurred and enlarged copy of itself on both sides (or the other way
 * round): no detail outside, detail inside, and between them a straight step on both sides at the same distance. The
 * background of a lens has no such step.
 *
 * @param across - Left and right, or top and bottom.
 */
export function findBlurredSides({ luma, size }: Look, across: boolean): BlurredSides {
  const near = sideOf(across ? 'left' : 'top', size);
  const far = sideOf(across ? 'right' : 'bottom', size);
  const { lines } = near;
  const from = Math.max(4, Math.round(minDepth * lines));
  const detail = new Float32Array(lines);
  const meanDetail = (first: number, end: number) => {
    let sum = 0;
    for (let line = first; line < end; line++) sum += detail[line] = detailOf(luma, near, line);
    return sum / (end - first);
  };
  // Most pictures have detail at their sides, and need no further look.
  if (meanDetail(1, from - 1) > maxFillDetail || meanDetail(lines - from + 1, lines - 1) > maxFillDetail)
    return { quietLines: 0 };
  meanDetail(from - 1, lines - from + 1);
  const summed = new Float64Array(lines + 1);
  for (let line = 0; line < lines; line++) summed[line + 1] = summed[line]! + detail[line]!;
  const meanOf = (first: number, end: number) => (summed[end]! - summed[first]!) / Math.max(1, end - first);
  let best: { depth: number; cells: number; share: number } | undefined;
  let quietLines = 0;
  for (let depth = from; depth <= maxDepth * lines; depth++) {
    // The lines next to an edge hold the step itself.
    const outside = Math.max(meanOf(1, depth - 1), meanOf(lines - depth + 1, lines - 1));
    if (outside > maxFillDetail) break;
    quietLines = depth;
    const cells = stepCells(luma, near, depth) & stepCells(luma, far, depth);
    const share = cellShare(cells);
    if (share < minCells || (best && share <= best.share)) continue;
    const inside = meanOf(depth + 2, lines - depth - 2);
    if (inside >= minDetailRatio * Math.max(minDetail, outside)) best = { depth, cells, share };
  }
  return { quietLines, ...(best && { edge: { depth: best.depth, cells: best.cells, weight: best.share } }) };
}

/** Mean curvature of brightness along and across a line, by every second pixel. */
function detailOf(luma: Uint8Array, { start, inward, along, length }: Side, line: number): number {
  let sum = 0;
  for (let i = 1; i < length - 1; i += 2) {
    const at = start + line * inward + i * along;
    const twice = 2 * luma[at]!;
    sum += Math.abs(luma[at - inward]! + luma[at + inward]! - twice);
    sum += Math.abs(luma[at - along]! + luma[at + along]! - twice);
  }
  return sum / (length - 2);
}

/** Cells in which brightness steps between the line before `depth` and the line behind it, and not just before. */
function stepCells(luma: Uint8Array, { start, inward, along, length }: Side, depth: number): number {
  let mask = 0;
  for (let cell = 0; cell < cellCount; cell++) {
    let [step, before] = [0, 0];
    const [from, to] = [cellStart(cell, length), cellStart(cell + 1, length)];
    for (let i = from; i < to; i++) {
      const at = start + depth * inward + i * along;
      step += Math.abs(luma[at + inward]! - luma[at - inward]!);
      before += Math.abs(luma[at - 2 * inward]! - luma[at - 4 * inward]!);
    }
    const count = Math.max(1, to - from);
    if (step >= minStep * count && step >= minStepRatio * before) mask |= 1 << cell;
  }
  return mask;
}
