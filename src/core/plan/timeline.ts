import type { Size } from '../../schema/geometry.js';
import type { AnalysisParts } from '../../schema/result.js';
import type { TimeRange } from '../../schema/time.js';

/**
 * What a plan covers beyond what the parts say. Everything is optional: by default the plan covers every
 * frame of the source, and the size comes from the face part.
 */
export type PlanScope = {
  /** First planned frame; default 0. */
  readonly firstFrame?: number;
  /** How many frames are planned; default: to the source's end. */
  readonly frameCount?: number;
  /** Displayed size of the source; needed only where no face part says it. */
  readonly size?: Size;
  /**
   * When a voice is heard, which the wire parts do not say. Without these ranges a stretch in which no face
   * speaks counts as an off-screen voice only for `offScreen: 'wide' | 'reaction'`.
   */
  readonly speech?: readonly TimeRange[];
};

/** A run of frames between two cuts; `end` is exclusive. */
export type Shot = { readonly sceneId: number; readonly start: number; readonly end: number };

/** The clock and the shots that a plan is laid on. Frames are counted from the file's start. */
export type Timeline = Size & {
  readonly frameRateHz: number;
  readonly totalFrames: number;
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Tiles the planned frames. */
  readonly shots: readonly Shot[];
  /** Presentation time of a planned frame, or of the frame after the last one. */
  timeSec(frame: number): number;
  /** The first planned frame that starts at or after a time; the planned end where there is none. */
  frameAt(timeSec: number): number;
};

/**
 * Reads clock, size and shots from whatever parts are there.
 *
 * Only boxes, scores and scene borders carry timestamps. They are taken as they are, which keeps plans of
 * variable frame rate exact wherever a face is seen; frames between two known ones lie evenly between
 * them, and beyond the outermost the average frame rate counts on.
 *
 * @throws TypeError where no part says how long the source is, or nobody says how large.
 */
export function readTimeline(parts: AnalysisParts, scope: PlanScope = {}): Timeline {
  const { scene_detection: scenes, face_tracking_yolov8: tracking, active_speaker: speakers } = parts;
  const present = [scenes, tracking, speakers].filter(part => part !== undefined);
  if (!present.length) throw new TypeError('planCrop needs at least one analysis part');
  const size = tracking ?? scope.size;
  if (!size) throw new TypeError('planCrop needs scope.size where there is no face part');

  const totalFrames = Math.max(...present.map(part => part.total_frames));
  const frameRateHz = present.map(part => part.video_fps).find(rate => rate > 0) ?? 25;
  const firstFrame = Math.min(Math.max(0, scope.firstFrame ?? 0), totalFrames);
  const frameCount = Math.min(scope.frameCount ?? totalFrames, totalFrames - firstFrame);
  const times = frameTimes(parts, { firstFrame, frameCount, frameRateHz });

  return {
    width: size.width,
    height: size.height,
    frameRateHz,
    totalFrames,
    firstFrame,
    frameCount,
    shots: shotsWithin(parts, firstFrame, firstFrame + frameCount),
    timeSec: frame => times[Math.min(Math.max(frame - firstFrame, 0), frameCount)]!,
    frameAt(timeSec) {
      let low = 0;
      let high = frameCount;
      while (low < high) {
        const middle = (low + high) >> 1;
        // Half a millisecond of grace: times that went through JSON or a player are rounded.
        if (times[middle]! >= timeSec - 5e-4) high = middle;
        else low = middle + 1;
      }
      return firstFrame + low;
    },
  };
}

/** Presentation times of the planned frames and of the frame after, in seconds. */
function frameTimes(
  parts: AnalysisParts,
  { firstFrame, frameCount, frameRateHz }: { firstFrame: number; frameCount: number; frameRateHz: number },
): Float64Array {
  const times = new Float64Array(frameCount + 1).fill(Number.NaN);
  const know = (frame: number, timeSec: number) => {
    const i = frame - firstFrame;
    if (i >= 0 && i <= frameCount) times[i] = timeSec;
  };
  for (const scene of parts.scene_detection?.scenes ?? []) {
    know(scene.start_frame, scene.start_time);
    know(scene.end_frame, scene.end_time);
  }
  for (const { boxes } of parts.face_tracking_yolov8?.tracks ?? [])
    for (const box of boxes) know(box.frame_number, box.timestamp);
  for (const { scores } of parts.active_speaker?.tracks ?? [])
    for (const score of scores) know(score.frame_number, score.timestamp);

  let last = -1;
  for (let i = 0; i <= frameCount; i++) {
    const timeSec = times[i]!;
    if (Number.isNaN(timeSec) || (last >= 0 && timeSec < times[last]!)) continue;
    const before = last < 0 ? 0 : last + 1;
    for (let j = before; j < i; j++)
      times[j] =
        last < 0
          ? Math.max(0, timeSec - (i - j) / frameRateHz)
          : times[last]! + ((timeSec - times[last]!) * (j - last)) / (i - last);
    last = i;
  }
  const origin = last < 0 ? firstFrame / frameRateHz : times[last]!;
  for (let j = last + 1; j <= frameCount; j++) times[j] = origin + (j - Math.max(last, 0)) / frameRateHz;
  return times;
}

/** The shots clipped to a range of frames; frames that no scene claims (a partial result) are shots of their own. */
function shotsWithin(parts: AnalysisParts, first: number, end: number): Shot[] {
  const shots: Shot[] = [];
  let next = first;
  let sceneId = 0;
  for (const scene of parts.scene_detection?.scenes ?? []) {
    const start = Math.max(scene.start_frame, next);
    const stop = Math.min(scene.end_frame, end);
    if (start >= stop) continue;
    if (start > next) shots.push({ sceneId: scene.scene_id, start: next, end: start });
    shots.push({ sceneId: scene.scene_id, start, end: stop });
    sceneId = scene.scene_id;
    next = stop;
  }
  if (next < end) shots.push({ sceneId, start: next, end });
  return shots;
}
