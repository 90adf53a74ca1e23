import { iou } from '../core/box.js';
import { median } from '../core/series.js';
import type { PixelBox } from '../schema/geometry.js';
import type { Layout, Override, Subject } from '../schema/plan.js';
import type { AnalysisParts } from '../schema/result.js';
import type { TimeRange } from '../schema/time.js';
import { type FaceAt, facesAt } from './faces-at.js';

/**
 * A person's correction, said by time and place, without ids of faces or borders of scenes, so that the
 * correction outlives another analysis of the same source.
 */
export type Correction =
  /** Follow the face that was in this box at this time: in its scene, or wherever a face is in that place. */
  | {
      readonly kind: 'follow';
      readonly timeSec: number;
      readonly box: PixelBox;
      readonly scope: 'scene' | 'everywhere';
    }
  /** Show this box at this time; the window goes straight from one such correction of a scene to the next. */
  | { readonly kind: 'window'; readonly timeSec: number; readonly box: PixelBox }
  /**
   * Use this layout for the scene of this time; with `boxes`, for the faces that were in them at that time, in the order
   * of its panels.
   */
  | {
      readonly kind: 'layout';
      readonly timeSec: number;
      readonly layout: Layout;
      readonly boxes?: readonly PixelBox[];
    };

/**
 * Who somebody is in the whole video, said as a correction is: by the box of their face at a time. `role` is that of a
 * plan request's subjects.
 */
export type Casting = {
  readonly timeSec: number;
  readonly box: PixelBox;
  readonly role: Subject['role'];
};

/** From this overlap on a face in another scene is in the same place: the same camera, as interviews cut back to. */
const samePlaceIou = 0.3;

/**
 * Corrections as overrides of a plan request, for what the analysis knows by now. Later ones win.
 * What refers to a face that was not found changes nothing.
 */
export function toOverrides(corrections: readonly Correction[], parts: AnalysisParts): Override[] {
  const scenes = scenesOf(parts);
  const sceneAt = (timeSec: number) =>
    scenes.findLast(scene => scene.startSec <= timeSec + 1e-3) ?? scenes[0];
  return corrections.flatMap((correction, i): Override[] => {
    const scene = sceneAt(correction.timeSec);
    if (!scene) return [];
    if (correction.kind === 'layout') return [layoutFor(correction, scene, parts)];
    if (correction.kind === 'follow') return follow(correction, scene, { parts, scenes });
    const windows = corrections.filter(
      (other, k) =>
        other.kind === 'window' && sceneAt(other.timeSec) === scene && !isReplaced(corrections, k),
    ) as WindowCorrection[];
    // All windows of a scene hang together: they come where the last of them was made.
    if (corrections.findLastIndex(other => windows.includes(other as WindowCorrection)) !== i) return [];
    return path(windows, scene);
  });
}

/**
 * Castings as subjects of a plan request, for what the analysis knows by now. Later ones win. A person is known by
 * `person_id` where the face has one, else as the face in the same place in every scene; a face that was not found
 * has no role.
 */
export function toSubjects(castings: readonly Casting[], parts: AnalysisParts): Subject[] {
  const roles = new Map<number, Subject['role']>();
  if (!castings.length) return [];
  const scenes = scenesOf(parts);
  for (const { timeSec, box, role } of castings) {
    const face = mostAlike(facesAt(parts, timeSec), box);
    const track = parts.face_tracking_yolov8?.tracks.find(({ face_id }) => face_id === face?.faceId);
    if (!face || !track) continue;
    const personIds =
      track.person_id === undefined
        ? [face.faceId, ...inSamePlace(face, { parts, scenes }).map(({ faceId }) => faceId)]
        : [track.person_id];
    for (const personId of personIds) roles.set(personId, role);
  }
  return [...roles].map(([personId, role]) => ({ personId, role }));
}

type WindowCorrection = Extract<Correction, { kind: 'window' }>;

/** Without a scene part the source is one scene. */
function scenesOf({ scene_detection, face_tracking_yolov8 }: AnalysisParts): TimeRange[] {
  const clock = scene_detection ?? face_tracking_yolov8;
  const endSec = clock ? clock.total_frames / (clock.video_fps || 25) : 0;
  if (!scene_detection?.scenes.length) return endSec > 0 ? [{ startSec: 0, endSec }] : [];
  return scene_detection.scenes.map(({ start_time, end_time }) => ({
    startSec: start_time,
    endSec: end_time,
  }));
}

/** Faces that were not found are left out; whoever speaks then takes their panels. */
function layoutFor(
  { timeSec, layout, boxes = [] }: Extract<Correction, { kind: 'layout' }>,
  scene: TimeRange,
  parts: AnalysisParts,
): Override {
  const there = facesAt(parts, timeSec);
  const faceIds = boxes.flatMap(box => mostAlike(there, box)?.faceId ?? []);
  return { ...scene, layout, ...(faceIds.length > 0 && { faceIds }) };
}

function follow(
  { timeSec, box, scope }: Extract<Correction, { kind: 'follow' }>,
  scene: TimeRange,
  { parts, scenes }: { parts: AnalysisParts; scenes: readonly TimeRange[] },
): Override[] {
  const best = mostAlike(facesAt(parts, timeSec), box);
  if (!best) return [];
  const own = { ...scene, faceId: best.faceId };
  if (scope === 'scene') return [own];
  const others = inSamePlace(best, { parts, scenes: scenes.filter(other => other !== scene) });
  return [own, ...others.map(({ range, faceId }) => ({ ...range, faceId }))];
}

/** The face of each scene that usually is where a face usually is. */
function inSamePlace(
  { faceId, box }: FaceAt,
  { parts, scenes }: { parts: AnalysisParts; scenes: readonly TimeRange[] },
): { readonly range: TimeRange; readonly faceId: number }[] {
  const usual = usualBoxes(parts);
  const place = usual.find(face => face.faceId === faceId)?.box ?? box;
  return scenes.flatMap(range => {
    const inScene = usual.filter(face => face.startSec < range.endSec && face.endSec > range.startSec);
    const there = mostAlike(inScene, place);
    return there ? [{ range, faceId: there.faceId }] : [];
  });
}

/** The face whose box overlaps most, if it overlaps enough. */
function mostAlike<Face extends { readonly box: PixelBox }>(
  faces: readonly Face[],
  box: PixelBox,
): Face | undefined {
  const [best] = [...faces].sort((a, b) => iou(b.box, box) - iou(a.box, box));
  return best && iou(best.box, box) >= samePlaceIou ? best : undefined;
}

/** Where each face mostly is, and when it is on screen. */
function usualBoxes({ face_tracking_yolov8 }: AnalysisParts) {
  return (face_tracking_yolov8?.tracks ?? []).map(({ face_id, boxes, first_seen, last_seen }) => {
    const usual = (side: keyof PixelBox) => median(boxes.map(box => box[side]));
    return {
      faceId: face_id,
      startSec: first_seen,
      endSec: last_seen,
      box: { x: usual('x'), y: usual('y'), width: usual('width'), height: usual('height') },
    };
  });
}

/** A later window at the same moment takes the place of an earlier one. */
const isReplaced = (corrections: readonly Correction[], index: number): boolean =>
  corrections.some(
    (other, k) =>
      k > index &&
      other.kind === 'window' &&
      Math.abs(other.timeSec - corrections[index]!.timeSec) < samePlaceSec,
  );

/** Two keyframes nearer than two frames are one: nobody aims better with a mouse. */
const samePlaceSec = 0.08;

/** A scene's first window this soon after its start is meant from its start: nobody wants a jump there. Seconds. */
const sceneStartSec = 0.5;

/** Windows of one scene, in time order, each leading to the next; the last one stays until the scene's end. */
function path(windows: readonly WindowCorrection[], scene: TimeRange): Override[] {
  const keys = [...windows].sort((a, b) => a.timeSec - b.timeSec);
  return keys.flatMap(({ timeSec, box }, i) => {
    const next = keys[i + 1];
    const isAtStart = i === 0 && timeSec - scene.startSec < sceneStartSec;
    const startSec = isAtStart ? scene.startSec : Math.max(timeSec, scene.startSec);
    const endSec = next?.timeSec ?? scene.endSec;
    return startSec < endSec ? [{ startSec, endSec, box, ...(next && { endBox: next.box }) }] : [];
  });
}
