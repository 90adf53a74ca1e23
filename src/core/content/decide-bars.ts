import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Shot } from '../shot-boundaries.js';
import {
  type BarRun,
  type BlurredRun,
  joinedBlurred,
  joinedSide,
  type PlainRun,
  type SeenEdge,
} from './bar-runs.js';
import { cellCount, cellShare, type SideName, sideNames } from './sides.js';

/** What surrounds a picture, and the picture without it, in pixels of looks. */
export type Bars = { readonly kind: 'none' | 'black' | 'white' | 'blurred'; readonly picture: PixelBox };

/** A brightness differs by at most this over a shot: bars are still. */
const stillRange = 8;
/** Lines that the two bars of a pair may differ by. */
const pairRange = 2;
/** Cells of its edges that have to be seen: of a pair, on each of its two sides, and of a bar without a partner. */
const [minPairShare, minSideShare, minLoneShare] = [0.65, 0.4, 0.9];
/** A bar without a partner is at least this deep, and seen in as many looks. */
const [minLoneRatio, minLoneLooks] = [0.02, 2];
/** Edges of blurred fill have to be seen in this share of the looks, in this share of their cells. */
const [minBlurredLooks, minBlurredShare] = [0.5, 0.5];

/** So many lines behind the edge of fill the mean detail may still be small. */
const fillRange = 14;

/** Depths of bars, in lines; 0 where there is none. */
type Depths = { readonly [side in SideName]: number };
type Seen = { readonly kind: Exclude<Bars['kind'], 'none'>; readonly depths: Depths };
type Pair = { readonly near: SeenEdge | undefined; readonly far: SeenEdge | undefined };

/**
 * The bars of each shot. A bar is plain and still over the whole shot, its edge is straight and was seen along most of its
 * length at some moment of the shot, and bars come in pairs; a dark scene has none of that. A shot too dark to show the
 * edges takes those of the other shots, if nothing in it speaks against them.
 *
 * @param size - Of the looks.
 */
export function decideBars(runs: readonly BarRun[], shots: readonly Shot[], size: Size): Bars[] {
  const evidence = shots.map(shot => evidenceOf(runs, shot));
  const seen = evidence.map(of => of && (plainBars(of, size) ?? blurredBars(of)));
  const usual = mostUsual(shots, seen);
  const found = evidence.map((of, i) => (of && usual && goesOn(of, seen[i], usual) ? usual : seen[i]));
  return found.map(bars => ({
    kind: bars?.kind ?? 'none',
    picture: bars ? inside(bars.depths, size) : { x: 0, y: 0, ...size },
  }));
}

/** All that was seen in a shot; of runs that reach over its ends, those that lie in it by half. */
function evidenceOf(runs: readonly BarRun[], shot: Shot): BarRun | undefined {
  const own = runs.filter(run => {
    const shared = Math.min(run.endFrame, shot.endFrame) - Math.max(run.startFrame, shot.startFrame);
    return (
      shared > 0 && 2 * shared >= Math.min(run.endFrame - run.startFrame, shot.endFrame - shot.startFrame)
    );
  });
  const [first, ...rest] = own;
  if (!first) return undefined;
  const plain: { [side in SideName]?: PlainRun } = {};
  for (const name of sideNames) {
    if (!own.every(run => run.plain[name])) continue;
    const side = rest.reduce((all, run) => joinedSide(all, run.plain[name]!), first.plain[name]!);
    if (side.highLevel - side.lowLevel <= stillRange) plain[name] = side;
  }
  const blurred = rest.reduce(
    (all, run) => ({
      across: joinedBlurred(all.across, run.blurred.across),
      down: joinedBlurred(all.down, run.blurred.down),
    }),
    first.blurred,
  );
  const looks = own.reduce((sum, run) => sum + run.looks, 0);
  return { startFrame: shot.startFrame, endFrame: shot.endFrame, looks, plain, blurred };
}

/** The deepest plain bars that the evidence bears. */
function plainBars(of: BarRun, size: Size): Seen | undefined {
  let best: Depths | undefined;
  for (const across of pairsOf(of.plain.left, of.plain.right))
    for (const down of pairsOf(of.plain.top, of.plain.bottom)) {
      const depths = {
        left: across.near?.depth ?? 0,
        right: across.far?.depth ?? 0,
        top: down.near?.depth ?? 0,
        bottom: down.far?.depth ?? 0,
      };
      if (!isSeen(across, [depths.top / size.height, depths.bottom / size.height], size.width)) continue;
      if (!isSeen(down, [depths.left / size.width, depths.right / size.width], size.height)) continue;
      if (!best || areaOf(inside(depths, size)) < areaOf(inside(best, size))) best = depths;
    }
  const deep = best && sideNames.find(name => best[name] > 0);
  return deep && { kind: of.plain[deep]!.lowLevel < 128 ? 'black' : 'white', depths: best! };
}

function pairsOf(near: PlainRun | undefined, far: PlainRun | undefined): Pair[] {
  const nearEdges = (near?.edges ?? []).filter(edge => edge.depth <= near!.clearLines + 1);
  const farEdges = (far?.edges ?? []).filter(edge => edge.depth <= far!.clearLines + 1);
  const isSameColour = near && far && Math.abs(near.lowLevel - far.lowLevel) <= stillRange;
  return [
    { near: undefined, far: undefined },
    ...nearEdges.map(edge => ({ near: edge, far: undefined })),
    ...farEdges.map(edge => ({ near: undefined, far: edge })),
    ...(isSameColour ? nearEdges : []).flatMap(edge =>
      farEdges
        .filter(({ depth }) => Math.abs(depth - edge.depth) <= pairRange)
        .map(other => ({ near: edge, far: other })),
    ),
  ];
}

/** Whether enough of the edges was seen, of what lies between the bars of the other two sides. */
function isSeen({ near, far }: Pair, [before, behind]: readonly [number, number], lines: number): boolean {
  const from = Math.ceil(before * cellCount);
  const to = Math.floor((1 - behind) * cellCount);
  const share = (edge: SeenEdge) => cellShare(edge.cells, from, to);
  if (near && far) {
    const [a, b] = [share(near), share(far)];
    return Math.min(a, b) >= minSideShare && (a + b) / 2 >= minPairShare;
  }
  const lone = near ?? far;
  return (
    !lone || (share(lone) >= minLoneShare && lone.depth >= minLoneRatio * lines && lone.looks >= minLoneLooks)
  );
}

function blurredBars({ blurred: { across, down }, looks }: BarRun): Seen | undefined {
  const edgeOf = ({ edges }: BlurredRun) =>
    edges
      .filter(
        ({ cells, looks: seen }) => seen >= minBlurredLooks * looks && cellShare(cells) >= minBlurredShare,
      )
      .sort((a, b) => b.looks - a.looks)[0];
  const [x, y] = [edgeOf(across), edgeOf(down)];
  if (!x && !y) return undefined;
  // The line at the edge may hold both.
  const [left, top] = x ? [x.depth + 1, 0] : [0, y!.depth + 1];
  return { kind: 'blurred', depths: { left, right: left, top, bottom: top } };
}

/** The bars that most of the time have, of the shots in which bars are seen. */
function mostUsual(shots: readonly Shot[], seen: readonly (Seen | undefined)[]): Seen | undefined {
  const frames = (like: Seen) =>
    shots.reduce((sum, shot, i) => sum + (isLike(seen[i], like) ? shot.endFrame - shot.startFrame : 0), 0);
  const all = seen.filter(of => of !== undefined);
  return all.map(of => ({ of, frames: frames(of) })).sort((a, b) => b.frames - a.frames)[0]?.of;
}

const isLike = (a: Seen | undefined, b: Seen) =>
  a?.kind === b.kind && sideNames.every(name => Math.abs(a.depths[name] - b.depths[name]) <= 1);

/** Whether a shot may have the usual bars: nothing is seen where they would be, and no more than they are is seen. */
function goesOn({ plain, blurred }: BarRun, own: Seen | undefined, { kind, depths }: Seen): boolean {
  if (own && (own.kind !== kind || sideNames.some(name => own.depths[name] > depths[name] + 1))) return false;
  if (kind === 'blurred') return isFill(blurred.across, depths.left) && isFill(blurred.down, depths.top);
  return sideNames.every(name => !depths[name] || (plain[name]?.clearLines ?? 0) >= Math.floor(depths[name]));
}

/** Whether detail begins where the fill would end: a page or the dark has none anywhere. */
const isFill = ({ quietLines }: BlurredRun, depth: number): boolean =>
  depth === 0 || (quietLines >= depth - 2 && quietLines <= depth + fillRange);

const inside = ({ left, right, top, bottom }: Depths, { width, height }: Size): PixelBox => ({
  x: left,
  y: top,
  width: width - left - right,
  height: height - top - bottom,
});
const areaOf = ({ width, height }: PixelBox) => width * height;
