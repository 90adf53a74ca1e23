import type { Shot } from '../../core/shot-boundaries.js';
import type { TrackBox } from '../../core/tracks.js';
import type { FaceTracking, SceneDetection } from '../../schema/result.js';
import type { FaceOrigin } from './speaker-lane.js';

/** Shots of a part that exists already. */
export const toShots = (part: SceneDetection): Shot[] =>
  part.scenes.map(scene => ({
    startFrame: scene.start_frame,
    endFrame: scene.end_frame,
    startSec: scene.start_time,
    endSec: scene.end_time,
  }));

/** Faces of a part that exists already; each was made of one track, which has its id. */
export const toFaces = (part: FaceTracking): FaceOrigin[] =>
  part.tracks.map(track => ({
    faceId: track.face_id,
    sources: track.boxes.length
      ? [
          {
            trackId: track.face_id,
            startFrame: track.boxes[0]!.frame_number,
            endFrame: track.boxes.at(-1)!.frame_number + 1,
          },
        ]
      : [],
    boxes: track.boxes.map(({ timestamp, frame_number, ...box }) => ({
      ...box,
      frameNumber: frame_number,
      timeSec: timestamp,
    })),
  }));

/** The boxes of each frame, for feeding known faces frame by frame. */
export function boxesByFrame(
  faces: readonly FaceOrigin[],
): Map<number, { trackId: number; box: TrackBox }[]> {
  const frames = new Map<number, { trackId: number; box: TrackBox }[]>();
  for (const { faceId: trackId, boxes } of faces) {
    for (const box of boxes) {
      const there = frames.get(box.frameNumber);
      if (there) there.push({ trackId, box });
      else frames.set(box.frameNumber, [{ trackId, box }]);
    }
  }
  return frames;
}
