import type { AnalysisParts } from '../../schema/result.js';
import { isWorthATurn, speakingProbability } from './belief.js';
import { defaultFaceOptions, type FaceOptions, faceArrays, type ShotFace } from './faces.js';
import { joinLost } from './join-lost.js';
import { contentOf } from './shot-content.js';
import type { Shot, Timeline } from './timeline.js';

/**
 * Lays tracks and speaking decisions on the shots' frames. A track that reaches over a cut is split there,
 * so that whatever follows can treat each shot alone; tracks that one face left in one shot are joined.
 *
 * @returns One list per shot of the timeline.
 */
export function readFaces(
  parts: AnalysisParts,
  timeline: Timeline,
  options: FaceOptions = defaultFaceOptions,
): ShotFace[][] {
  const { shots } = timeline;
  const byShot = shots.map(() => new Map<number, ShotFace>());
  const shotOf = shotFinder(shots);
  const turned = turnedBoxes(parts, timeline);

  for (const track of parts.face_tracking_yolov8?.tracks ?? []) {
    const away = turned.get(track.face_id) ?? [];
    const frames = [...track.boxes, ...away].map(box => box.frame_number);
    const lay = (boxes: WireTrack['boxes'], present: 1 | 2) => {
      for (const box of boxes) {
        const s = shotOf(box.frame_number);
        if (s < 0) continue;
        const shot = shots[s]!;
        let face = byShot[s]!.get(track.face_id);
        // A head that nobody saw as a face in this shot is none.
        if (!face && present === 2) continue;
        if (!face) byShot[s]!.set(track.face_id, (face = emptyFace(track, frames, shot)));
        const i = box.frame_number - shot.start - face.first;
        if (i < 0 || face.present[i]) continue;
        face.x[i] = box.x;
        face.y[i] = box.y;
        face.width[i] = box.width;
        face.height[i] = box.height;
        face.present[i] = present;
      }
    };
    lay(track.boxes, 1);
    lay(away, 2);
  }
  for (const track of parts.active_speaker?.tracks ?? []) {
    for (const score of track.scores) {
      const s = shotOf(score.frame_number);
      const face = s < 0 ? undefined : byShot[s]!.get(track.face_id);
      if (!face) continue;
      const i = score.frame_number - shots[s]!.start - face.first;
      face.probability[i] = speakingProbability(score);
      face.speaking[i] = isWorthATurn(score) ? 1 : 0;
    }
  }
  return byShot.map((faces, s) => {
    const clock = { shot: shots[s]!, timeline };
    return joinLost([...faces.values()], clock, options)
      .map(face => fillGaps(face, clock, options))
      .filter(
        face => meanHeight(face) >= options.minHeightRatio * timeline.height || face.speaking.includes(1),
      );
  });
}

type WireTrack = NonNullable<AnalysisParts['face_tracking_yolov8']>['tracks'][number];

/** Heads that have turned away, by the face that they were. */
function turnedBoxes(parts: AnalysisParts, { shots }: Timeline): Map<number, WireTrack['boxes']> {
  const found = new Map<number, WireTrack['boxes']>();
  for (const shot of shots)
    for (const { face_id, boxes } of contentOf(parts, shot)?.turned ?? [])
      found.set(face_id, [...(found.get(face_id) ?? []), ...boxes]);
  return found;
}

function emptyFace({ face_id, person_id }: WireTrack, frames: readonly number[], shot: Shot): ShotFace {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const frame of frames) {
    if (frame < shot.start || frame >= shot.end) continue;
    first = Math.min(first, frame - shot.start);
    last = Math.max(last, frame - shot.start);
  }
  return {
    faceId: face_id,
    laterIds: [],
    ...(person_id === undefined ? {} : { personId: person_id }),
    ...faceArrays(last - first + 1),
    first,
    presentCount: 0,
  };
}

/** Draws straight lines through gaps, for boxes on a stride, blinking detectors and heads that turn away alike. */
function fillGaps(
  face: ShotFace,
  { shot, timeline }: { shot: Shot; timeline: Timeline },
  { maxGapSec, maxLostSec, maxLostWayRatio }: FaceOptions,
): ShotFace {
  const { present } = face;
  const start = shot.start + face.first;
  let last = -1;
  let presentCount = 0;
  for (let i = 0; i < present.length; i++) {
    if (!present[i]) continue;
    const gapSec = timeline.timeSec(start + i) - timeline.timeSec(start + last);
    const way = last < 0 ? 0 : Math.abs(face.x[i]! - face.x[last]!) / (face.width[last]! || 1);
    const isBlink = gapSec <= maxGapSec;
    if (last >= 0 && i - last > 1 && (isBlink || (gapSec <= maxLostSec && way <= maxLostWayRatio))) {
      const isHead = present[i] === 2 || present[last] === 2;
      for (let j = last + 1; j < i; j++) {
        const ratio = (j - last) / (i - last);
        for (const side of [face.x, face.y, face.width, face.height])
          side[j] = side[last]! + (side[i]! - side[last]!) * ratio;
        present[j] = isBlink && !isHead ? 1 : 2;
        if (present[j] === 1 && !face.probability[j]) face.probability[j] = face.probability[last]!;
      }
      if (isBlink && !isHead) presentCount += i - last - 1;
    }
    if (present[i] === 1) presentCount++;
    last = i;
  }
  return { ...face, presentCount };
}

function meanHeight({ height, present, presentCount }: ShotFace): number {
  let sum = 0;
  for (let i = 0; i < present.length; i++) if (present[i] === 1) sum += height[i]!;
  return presentCount ? sum / presentCount : 0;
}

/** Finds the shot that holds a frame; -1 where none does. Remembers the last answer, as frames come in order. */
function shotFinder(shots: readonly Shot[]): (frame: number) => number {
  let at = 0;
  return frame => {
    while (at > 0 && frame < shots[at]!.start) at--;
    while (at < shots.length - 1 && frame >= shots[at]!.end) at++;
    const shot = shots[at];
    return shot && frame >= shot.start && frame < shot.end ? at : -1;
  };
}
