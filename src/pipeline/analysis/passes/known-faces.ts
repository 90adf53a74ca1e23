import type { FaceTracking } from '../../../schema/result.js';
import type { FaceOrigin } from '../speaker-candidates.js';

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
