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
/** Cells of an edge are bar in this share of the lines before: a subtitle or logo may cover the rest. */
const minClean = 0.5;
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
  const cells: Float32Array[] = [];
  const clean: Uint16Array[] = [];
  let clearLines = 0;
  for (let line = 0; line < deepest + body + 2 && line < lines; line++) {
    const [mean, cleanBefore] = [new Float32Array(cellCount), clean[line - 1]];
    const cleanNow = new Uint16Array(cellCount);
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
      const isClean = Math.abs(mean[cell]! - level) <= plainRange;
      cleanNow[cell] = (cleanBefore?.[cell] ?? 0) + (isClean ? 1 : 0);
    }
    cells.push(mean);
    clean.push(cleanNow);
    if (clearLines === line && near >= minPlain * length) clearLines++;
    if (line > clearLines + body + 2) break;
  }
  const edges: BarEdge[] = [];
  for (let depth = Math.min(clearLines, deepest); depth >= 1; depth--) {
    const mask = cellsBehind({ cells, clean, level, body }, depth);
    if (cellShare(mask) < minCells) continue;
    const edge = edgeAt(cells, depth, level, mask);
    // The line before an edge that lies within a line shows the edge too, and less exactly.
    if (!edges.length || edges.at(-1)!.depth - edge.depth > 1) edges.push(edge);
  }
  return clearLines ? { level, clearLines, edges } : undefined;
}

/** The median brightness of one line. */
function levelOf(luma: Uint8Array, first: number, along: number, length: number): number {
  const values = new Uint8Array(length);
  for (let i = 0; i < length; i++) values[i] = luma[first + i * along]!;
  return values.sort()[length >> 1]!;
}

/** What is known of a side's lines, from the outermost one on. */
type Lines = {
  /** Mean brightness of each cell. */
  readonly cells: readonly Float32Array[];
  /** In how many lines so far each cell was bar. */
  readonly clean: readonly Uint16Array[];
  readonly level: number;
  /** Lines that have to be picture behind an edge. */
  readonly body: number;
};

/** Cells that are bar up to the edge, and picture in nearly all lines of the body right behind the edge. */
function cellsBehind({ cells, clean, level, body }: Lines, depth: number): number {
  const mayFail = Math.floor(body / 8);
  let mask = 0;
  for (let cell = 0; cell < cellCount; cell++) {
    const isBar = Math.abs(cells[depth - 1]![cell]! - level) <= plainRange;
    if (!isBar || clean[depth - 1]![cell]! < minClean * depth) continue;
    // The line at the edge may hold both; what matters is how the next one differs from the bar.
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
