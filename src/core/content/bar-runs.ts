import { type BlurredSides, findBlurredSides } from './blurred-bars.js';
import type { Look } from './look.js';
import { type BarEdge, findPlainSides, type PlainSide } from './plain-bars.js';
import { type SideName, sideNames } from './sides.js';

/** An edge as it was seen over several looks: where on average, in which cells ever, and in how many looks. */
export type SeenEdge = BarEdge & { readonly looks: number };

/** A side that was plain in all looks. */
export type PlainRun = {
  readonly lowLevel: number;
  readonly highLevel: number;
  /** No bar is deeper. */
  readonly clearLines: number;
  readonly edges: readonly SeenEdge[];
};

/** What was seen of bars in a stretch of a second or two; sides that were not plain in all looks are absent. */
export type BarRun = {
  readonly startFrame: number;
  /** Exclusive. */
  readonly endFrame: number;
  readonly looks: number;
  readonly plain: { readonly [side in SideName]?: PlainRun };
  readonly blurred: { readonly across: BlurredRun; readonly down: BlurredRun };
};

/** Two opposite sides over several looks: blurred fill, if it is any, ends at one of the edges. */
export type BlurredRun = { readonly quietLines: number; readonly edges: readonly SeenEdge[] };

/** Runs are this long at most, so that they can be told to shots that are only known at the end; seconds. */
const runSec = 2;

/** Folds looks into runs. Its state is plain JSON. */
export interface BarFolder {
  push(look: Look): void;
  /** The runs so far, in order. */
  runs(): readonly BarRun[];
  save(): unknown;
}

type Open = { readonly startSec: number; readonly run: BarRun };
type State = { readonly closed: readonly BarRun[]; readonly open?: Open };

/** @param saved - State of another folder; the new folder goes on from there. */
export function createBarFolder(saved?: unknown): BarFolder {
  const { closed: before, open: begun } = (saved as State | undefined) ?? { closed: [] };
  const closed = [...before];
  let open = begun;
  return {
    push(look) {
      const run = runOf(look);
      if (open && !look.cut && look.timeSec - open.startSec < runSec) {
        open = { ...open, run: joined(open.run, run) };
        return;
      }
      if (open) closed.push(open.run);
      open = { startSec: look.timeSec, run };
    },
    runs: () => (open ? [...closed, open.run] : [...closed]),
    save: (): State => ({ closed: [...closed], ...(open && { open }) }),
  };
}

function runOf(look: Look): BarRun {
  const sides = findPlainSides(look);
  const plain: { [side in SideName]?: PlainRun } = {};
  for (const name of sideNames) if (sides[name]) plain[name] = plainRunOf(sides[name]);
  return {
    startFrame: look.frameNumber,
    endFrame: look.frameNumber + 1,
    looks: 1,
    plain,
    blurred: {
      across: blurredRunOf(findBlurredSides(look, true), plain.left, plain.right),
      down: blurredRunOf(findBlurredSides(look, false), plain.top, plain.bottom),
    },
  };
}

/** Fill is not plain: where both sides are, as far as the edge, there is none. */
function blurredRunOf(
  { quietLines, edge }: BlurredSides,
  near: PlainRun | undefined,
  far: PlainRun | undefined,
): BlurredRun {
  const plainLines = Math.min(near?.clearLines ?? 0, far?.clearLines ?? 0);
  return { quietLines, edges: edge && plainLines < edge.depth - 2 ? [seen(edge)] : [] };
}

const seen = (edge: BarEdge): SeenEdge => ({ ...edge, looks: 1 });
const plainRunOf = ({ level, clearLines, edges }: PlainSide): PlainRun => ({
  lowLevel: level,
  highLevel: level,
  clearLines,
  edges: edges.map(seen),
});

function joined(a: BarRun, b: BarRun): BarRun {
  const plain: { [side in SideName]?: PlainRun } = {};
  for (const name of sideNames) {
    const [first, second] = [a.plain[name], b.plain[name]];
    if (first && second) plain[name] = joinedSide(first, second);
  }
  return {
    startFrame: a.startFrame,
    endFrame: b.endFrame,
    looks: a.looks + b.looks,
    plain,
    blurred: {
      across: joinedBlurred(a.blurred.across, b.blurred.across),
      down: joinedBlurred(a.blurred.down, b.blurred.down),
    },
  };
}

/** What holds of a side in both stretches. */
export const joinedSide = (a: PlainRun, b: PlainRun): PlainRun => ({
  lowLevel: Math.min(a.lowLevel, b.lowLevel),
  highLevel: Math.max(a.highLevel, b.highLevel),
  clearLines: Math.min(a.clearLines, b.clearLines),
  edges: joinedEdges(a.edges, b.edges),
});

/** What holds of two opposite sides in both stretches. */
export const joinedBlurred = (a: BlurredRun, b: BlurredRun): BlurredRun => ({
  quietLines: Math.min(a.quietLines, b.quietLines),
  edges: joinedEdges(a.edges, b.edges),
});

/** Edges within a line of each other are one: noise decides to which of two lines an edge between them belongs. */
const sameEdge = 1.05;

/** Edges of both stretches; those that are the same are one. */
function joinedEdges(a: readonly SeenEdge[], b: readonly SeenEdge[]): SeenEdge[] {
  const all = [...a];
  for (const edge of b) {
    const at = all.findIndex(({ depth }) => Math.abs(depth - edge.depth) <= sameEdge);
    const other = all[at];
    if (!other) all.push(edge);
    else {
      const weight = other.weight + edge.weight;
      const depth = (other.depth * other.weight + edge.depth * edge.weight) / weight;
      all[at] = { depth, cells: other.cells | edge.cells, weight, looks: other.looks + edge.looks };
    }
  }
  return all;
}
