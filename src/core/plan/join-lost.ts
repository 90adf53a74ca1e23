import { type FaceOptions, faceArrays, type ShotFace } from './faces.js';
import type { Shot, Timeline } from './timeline.js';

/**
 * Joins the tracks that one face left in a shot: tracking loses a head that turns away, and gives another id to the face
 * that comes back. Two tracks are one face where the second begins soon after the first has ended, in its place, in
 * about its size, and nobody says that they are two persons.
 */
export function joinLost(
  faces: readonly ShotFace[],
  clock: { readonly shot: Shot; readonly timeline: Timeline },
  options: FaceOptions,
): ShotFace[] {
  const open: ShotFace[] = [];
  for (const face of [...faces].sort((a, b) => a.first - b.first)) {
    const candidates = open.filter(earlier => isSame(earlier, face, clock, options));
    const best = candidates.sort((a, b) => way(a, face) - way(b, face))[0];
    if (best) open[open.indexOf(best)] = joined(best, face);
    else open.push(face);
  }
  return open;
}

const lastOf = (face: ShotFace) => face.first + face.present.length - 1;

function isSame(
  a: ShotFace,
  b: ShotFace,
  { shot, timeline }: { shot: Shot; timeline: Timeline },
  { maxLostSec, maxLostWayRatio }: FaceOptions,
): boolean {
  if (b.first <= lastOf(a)) return false;
  const gapSec = timeline.timeSec(shot.start + b.first) - timeline.timeSec(shot.start + lastOf(a));
  if (gapSec > maxLostSec) return false;
  if (a.personId !== undefined && b.personId !== undefined) return a.personId === b.personId;
  const scale = b.height[0]! / (a.height.at(-1)! || 1);
  return way(a, b) <= maxLostWayRatio / 2 && scale > 0.6 && scale < 1.6;
}

/** From where one face was last to where another begins, in widths of the first. */
const way = (a: ShotFace, b: ShotFace): number =>
  Math.hypot(
    b.x[0]! + b.width[0]! / 2 - a.x.at(-1)! - a.width.at(-1)! / 2,
    b.y[0]! + b.height[0]! / 2 - a.y.at(-1)! - a.height.at(-1)! / 2,
  ) / (a.width.at(-1)! || 1);

function joined(a: ShotFace, b: ShotFace): ShotFace {
  const arrays = faceArrays(lastOf(b) - a.first + 1);
  for (const name of Object.keys(arrays) as (keyof typeof arrays)[]) {
    arrays[name].set(a[name]);
    arrays[name].set(b[name], b.first - a.first);
  }
  const personId = a.personId ?? b.personId;
  return {
    ...a,
    ...arrays,
    ...(personId === undefined ? {} : { personId }),
    laterIds: [...a.laterIds, { from: b.first, faceId: b.faceId }, ...b.laterIds],
  };
}
