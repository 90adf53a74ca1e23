import type { AnalysisParts } from '../../schema/result.js';
import type { Shot, Timeline } from './timeline.js';

/**
 * One face within one shot. Every array has one entry per frame from where the face is first seen to where it
 * is last seen, so that memory grows with what is on screen, not with tracks times frames.
 */
export type ShotFace = {
  readonly faceId: number;
  /** Frame of entry 0, counted from the shot's start. */
  readonly first: number;
  /** Box in pixels of the displayed source; meaningless where `present` is 0. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** 1 where the face is on screen; short gaps are filled. */
  readonly present: Uint8Array;
  /** 1 where the analysis decided that the face speaks. */
  readonly speaking: Uint8Array;
  /** The speaker model's raw score; 0 where there is none. */
  readonly score: Float32Array;
  /** Number of frames with `present` 1. */
  readonly presentCount: number;
};

export type FaceOptions = {
  /** A face that is away for less than this is taken as never gone: detectors blink. Seconds. */
  readonly maxGapSec: number;
  /** Faces lower than this share of the source's height are texture, unless they speak. */
  readonly minHeightRatio: number;
};

export const defaultFaceOptions: FaceOptions = { maxGapSec: 0.3, minHeightRatio: 0.022 };

/**
 * Lays tracks and speaking decisions on the shots' frames. A track that reaches over a cut is split there,
 * so that whatever follows can treat each shot alone.
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

  for (const track of parts.face_tracking_yolov8?.tracks ?? []) {
    for (const box of track.boxes) {
      const s = shotOf(box.frame_number);
      if (s < 0) continue;
      const shot = shots[s]!;
      let face = byShot[s]!.get(track.face_id);
      if (!face) byShot[s]!.set(track.face_id, (face = emptyFace(track, shot)));
      const i = box.frame_number - shot.start - face.first;
      face.x[i] = box.x;
      face.y[i] = box.y;
      face.width[i] = box.width;
      face.height[i] = box.height;
      face.present[i] = 1;
    }
  }
  for (const track of parts.active_speaker?.tracks ?? []) {
    for (const score of track.scores) {
      const s = shotOf(score.frame_number);
      const face = s < 0 ? undefined : byShot[s]!.get(track.face_id);
      if (!face) continue;
      const i = score.frame_number - shots[s]!.start - face.first;
      face.score[i] = score.score;
      face.speaking[i] = score.speaking ? 1 : 0;
    }
  }
  return byShot.map((faces, s) =>
    [...faces.values()]
      .map(face => fillGaps(face, shots[s]!, timeline, options.maxGapSec))
      .filter(
        face => meanHeight(face) >= options.minHeightRatio * timeline.height || face.speaking.includes(1),
      ),
  );
}

/** A face's value at a frame of its shot (counted from the shot's start); 0 outside of where the face is seen. */
export function at(face: ShotFace, values: Float32Array | Uint8Array, frame: number): number {
  const i = frame - face.first;
  return i >= 0 && i < values.length ? values[i]! : 0;
}

/** Whether a face is on screen at a frame of its shot. */
export const isSeen = (face: ShotFace, frame: number): boolean => at(face, face.present, frame) === 1;

type WireTrack = NonNullable<AnalysisParts['face_tracking_yolov8']>['tracks'][number];

function emptyFace({ face_id, boxes }: WireTrack, shot: Shot): ShotFace {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (const { frame_number } of boxes) {
    if (frame_number < shot.start || frame_number >= shot.end) continue;
    first = Math.min(first, frame_number - shot.start);
    last = Math.max(last, frame_number - shot.start);
  }
  const length = last - first + 1;
  return {
    faceId: face_id,
    first,
    x: new Float32Array(length),
    y: new Float32Array(length),
    width: new Float32Array(length),
    height: new Float32Array(length),
    present: new Uint8Array(length),
    speaking: new Uint8Array(length),
    score: new Float32Array(length),
    presentCount: 0,
  };
}

/** Draws straight lines through short gaps, for boxes on a stride and for blinking detectors alike. */
function fillGaps(face: ShotFace, shot: Shot, timeline: Timeline, maxGapSec: number): ShotFace {
  const { present } = face;
  const start = shot.start + face.first;
  let last = -1;
  let presentCount = 0;
  for (let i = 0; i < present.length; i++) {
    if (!present[i]) continue;
    const gap = i - last - 1;
    if (last >= 0 && gap > 0 && timeline.timeSec(start + i) - timeline.timeSec(start + last) <= maxGapSec) {
      for (let j = last + 1; j < i; j++) {
        const ratio = (j - last) / (i - last);
        for (const side of [face.x, face.y, face.width, face.height])
          side[j] = side[last]! + (side[i]! - side[last]!) * ratio;
        present[j] = 1;
      }
      presentCount += gap;
    }
    presentCount++;
    last = i;
  }
  return { ...face, presentCount };
}

function meanHeight({ height, present, presentCount }: ShotFace): number {
  let sum = 0;
  for (let i = 0; i < present.length; i++) if (present[i]) sum += height[i]!;
  return sum / presentCount;
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
