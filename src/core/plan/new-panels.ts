import type { PixelBox } from '../../schema/geometry.js';
import { iou } from '../box.js';
import type { ShotFace } from './faces.js';
import { usualBox } from './shot-scene.js';
import type { Timeline } from './timeline.js';

/** Three make a panel; it is shown whole only where its shot is long enough for that. Seconds. */
const [minFaces, minShotSec] = [3, 12];
/** Who is there within the first seconds opens a panel with the others. */
const openingSec = 1.5;
/** From this overlap on a face is in the place of another: the same camera, cut back to. */
const samePlaceIou = 0.3;
/** A panel is known where so many of its faces are. */
const knownRatio = 0.6;
/** So many panels are remembered: more cameras has nobody. */
const maxKnown = 24;

type Member = { readonly personId?: number; readonly box: PixelBox };

/** Which shots open with three or more people whom no earlier shot showed together: by person, else by place. */
export function newPanels(
  { shots, frameRateHz }: Timeline,
  facesOf: readonly (readonly ShotFace[])[],
): boolean[] {
  const known: (readonly Member[])[] = [];
  return shots.map((shot, s) => {
    const soon = Math.min(shot.end - shot.start, Math.round(openingSec * frameRateHz));
    const members = facesOf[s]!.flatMap((face): Member[] => {
      const box = usualBox(face, 0, soon);
      if (!box) return [];
      return [{ box, ...(face.personId === undefined ? {} : { personId: face.personId }) }];
    });
    if (members.length < minFaces) return false;
    const isKnown = known.some(
      panel =>
        members.filter(member => panel.some(other => isSame(member, other))).length >=
        knownRatio * members.length,
    );
    if (!isKnown) {
      known.push(members);
      if (known.length > maxKnown) known.shift();
    }
    return !isKnown && (shot.end - shot.start) / frameRateHz >= minShotSec;
  });
}

const isSame = (a: Member, b: Member): boolean =>
  a.personId !== undefined && b.personId !== undefined
    ? a.personId === b.personId
    : iou(a.box, b.box) >= samePlaceIou;
