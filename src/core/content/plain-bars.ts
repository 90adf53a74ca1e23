import type { Look } from './look.js';
import { cellCount, cellShare, cellStart, type SideName, sideNames, sideOf } from './sides.js';

/** A straight line where a plain border may end, seen in one look. */
export type BarEdge = {
  /** Lines from the side to the edge; fractions where a line holds both bar and picture. */
  readonly depth: number;
  /** Cells along the edge, one bit each, in which the picture differs from the bar right behind the edge. */
  readonly cells: number;
  /** How clearly it is seen: levels by which the picture differs from the bar, summed over the cells. */
  readonly weight: number;
};

/** A side that is plain black or white in one look. */
export type PlainSide = {
  /** Brightness of the outermost lines. */
  readonly level: number;
  /** No bar is deeper: so many lines are plain, but for lettering and logos on them. */
  readonly clearLines: number;
  readonly edges: readonly BarEdge[];
};

/** Black is at most this bright, white at least that: masters with lifted black, and paper under coding noise. */
const [blackest, whitest] = [40, 222];
/** Pixels of a bar have the bar's brightness within this: coding noise next to an edge is less. */
const plainRange = 9;
/** Lines count as bar with this share of plain pixels: a subtitle on a bar fills less. */
const minPlain = 0.5;
/** A cell of picture differs by this much from the bar. */
const minStep = 14;
/** Bars are at most this deep: two leave a tenth of the picture. */
const maxDepth = 0.45;
/** An edge that fewer cells show is not told. */
const minCells = 0.1;
/** Behind an edge the picture goes on for this share of the lines; a line of text does not. */
const bodyRatio = 0.06;

/** What is plain at each side of a picture; undefined where a side is not. */
export function findPlainSides(look: Look): Record<SideName, PlainSide | undefined> {
  const found: Partial<Record<SideName, PlainSide | undefined>> = {};
  for (const name of sideNames) found[name] = findPlainSide(look, name);
  return found as Record<SideName, PlainSide | undefined>;
}

function findPlainSide({ luma, size }: Look, name: SideName): PlainSide | undefined {
  const side = sideOf(name, size);
  const { start, inward, along, lines, length } = side;
  const level = levelOf(luma, start + inward, along, length);
  if (level > blackest && level < whitest) return undefined;
  const body = Math.max(3, Math.round(bodyRatio * lines));
  const deepest = Math.floor(maxDepth * lines);
  /** Share of plain pixels of each line, and the mean brightness of each of its cells. */
  const plain: number[] = [];
  const cells: Float32Array[] = [];
  let clearLines = 0;
  for (let line = 0; line < deepest + body + 2 && line < lines; line++) {
    const mean = new Float32Array(cellCount);
    let near = 0;
    const first = start + line * inward;
    for (let cell = 0; cell < cellCount; cell++) {
      const [from, to] = [cellStart(cell, length), cellStart(cell + 1, length)];
      let sum = 0;
      for (let i = from; i < to; i++) {
        const value = luma[first + i * along]!;
        sum += value;
        if (Math.abs(value - level) <= plainRange) near++;
      }
      mean[cell] = sum / Math.max(1, to - from);
    }
    plain.push(near / length);
    cells.push(mean);
    if (clearLines === line && plain[line]! >= minPlain) clearLines++;
    if (line > clearLines + body + 2) break;
  }
  if (!clearLines) return undefined;
  const edges: BarEdge[] = [];
  for (let depth = 1; depth <= Math.min(clearLines, deepest); depth++) {
    const mask = cellsBehind(cells, depth, { level, body });
    if (cellShare(mask) >= minCells) edges.push(edgeAt(cells, depth, level, mask));
  }
  return { level, clearLines, edges };
}

/** The median brightness of one line. */
function levelOf(luma: Uint8Array, first: number, along: number, length: number): number {
  const values = new Uint8Array(length);
  for (let i = 0; i < length; i++) values[i] = luma[first + i * along]!;
  return values.sort()[length >> 1]!;
}

/** Cells that are picture right behind the edge: the line before is bar, and nearly all lines of the body are not. */
function cellsBehind(
  cells: readonly Float32Array[],
  depth: number,
  { level, body }: { readonly level: number; readonly body: number },
): number {
  const mayFail = Math.floor(body / 8);
  let mask = 0;
  for (let cell = 0; cell < cellCount; cell++) {
    // The line at the edge may hold both; what matters is how the next one differs from the last of the bar.
    if (Math.abs(cells[depth - 1]![cell]! - level) > plainRange) continue;
    let fails = 0;
    for (let line = depth + 1; line <= depth + body && fails <= mayFail; line++)
      if (!cells[line] || Math.abs(cells[line]![cell]! - level) < minStep) fails++;
    if (fails <= mayFail && Math.abs(cells[depth + 1]![cell]! - level) >= minStep) mask |= 1 << cell;
  }
  return mask;
}

/** The edge to a fraction of a line: how much of the line at the edge is bar still, by the cells in which that is seen. */
function edgeAt(cells: readonly Float32Array[], depth: number, level: number, mask: number): BarEdge {
  let [of, weight] = [0, 0];
  for (let cell = 0; cell < cellCount; cell++) {
    if (!((mask >> cell) & 1)) continue;
    of += Math.abs(cells[depth]![cell]! - level);
    weight += Math.abs(cells[depth + 1]![cell]! - level);
  }
  return { depth: depth + 1 - Math.min(1, of / weight), cells: mask, weight };
}
