import type { Override } from '../../schema/plan.js';
import { hasId } from './faces.js';
import { layoutShapes } from './layouts/layouts.js';
import { type Piece, replaceRange, type View } from './piece.js';
import type { ShotScene } from './shot-scene.js';
import { sumWithin } from './speech-sums.js';

/**
 * Lays the caller's corrections over the pieces; a later one wins over an earlier one, and a person's over an advisor's.
 */
export function override(pieces: readonly Piece[], scene: ShotScene): Piece[] {
  const { request, timeline, shot, faces } = scene;
  let changed = [...pieces];
  const { overrides } = request;
  const advised = overrides.filter(({ source }) => source === 'advisor');
  const corrected = overrides.filter(({ source }) => source === undefined);
  for (const correction of [...advised, ...corrected]) {
    const { startSec, endSec, faceId, box, endBox, layout } = correction;
    const start = Math.max(timeline.frameAt(startSec), shot.start) - shot.start;
    const end = Math.min(timeline.frameAt(endSec), shot.end) - shot.start;
    if (start >= end) continue;
    // Counted from the shot's start too, where the override may have begun before it.
    const move = endBox && {
      endBox,
      start: timeline.frameAt(startSec) - shot.start,
      end: timeline.frameAt(endSec) - shot.start,
    };
    const face = faceId === undefined ? -1 : faces.findIndex(candidate => hasId(candidate, faceId));
    // A face that is not in this shot cannot be shown: the automatic choice stays.
    if (faceId !== undefined && face < 0) continue;
    if (layout) {
      const view = viewOf(correction, { start, end }, scene);
      // Nor can a layout be made of fewer faces than it has panels.
      if (view) changed = spread(changed, { start, end, view, reason: 'override' });
      continue;
    }
    changed = replaceRange(changed, { start, end }, piece => {
      const range = { start: piece.start, end: piece.end };
      if (box) return { ...range, view: { kind: 'box', box, ...(move && { move }) }, reason: 'override' };
      return { ...range, view: { kind: 'faces', stretches: [{ ...range, face }] }, reason: 'override' };
    });
  }
  return changed;
}

/** The pieces with one other in the place of whatever lies in its range. */
export function spread(pieces: readonly Piece[], piece: Piece): Piece[] {
  const { start, end } = piece;
  return [
    ...replaceRange(pieces, piece, part => part).filter(p => p.end <= start || p.start >= end),
    piece,
  ].sort((a, b) => a.start - b.start);
}

/**
 * The view of a layout that was asked for: the faces that were named and are in the shot, filled up with those who speak
 * most meanwhile. Nothing where there are fewer faces than the layout needs, or no screen.
 */
function viewOf(
  { layout, faceIds = [] }: Override,
  { start, end }: { start: number; end: number },
  scene: ShotScene,
): View | undefined {
  const { faces, content } = scene;
  const [least, most] = layoutShapes[layout!].faces;
  const named = faceIds.map(id => faces.findIndex(face => hasId(face, id))).filter(f => f >= 0);
  const others = faces
    .map((face, f) => ({
      f,
      spoken: sumWithin(scene.spoken[f]!, face.first, start, end),
      seen: face.presentCount,
    }))
    .filter(({ f }) => !named.includes(f))
    .sort((a, b) => b.spoken - a.spoken || b.seen - a.seen)
    .map(({ f }) => f);
  if (layout === 'fit') return { kind: 'panels', layout, faces: [] };
  if (layoutShapes[layout!].hasScreen && !content.screens.length) return undefined;
  if (layout === 'single') {
    const face = named[0] ?? others[0];
    return face === undefined ? { kind: 'center' } : { kind: 'faces', stretches: [{ start, end, face }] };
  }
  const all = [...named, ...others];
  if (all.length < least) return undefined;
  const count = layout === 'group' ? named.length || all.length : Math.min(most, all.length);
  const chosen = all.slice(0, Math.max(least, count));
  return {
    kind: 'panels',
    layout: layout!,
    faces: named.length ? chosen : [...chosen].sort((a, b) => leftOf(scene, a) - leftOf(scene, b)),
  };
}

/** Where a face enters, from the left. */
const leftOf = ({ faces }: ShotScene, f: number) => faces[f]!.x[0]!;
