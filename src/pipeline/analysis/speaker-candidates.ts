import { gridRateHz } from '../../core/face-crops.js';
import type { TrackSource } from '../../core/face-tracking.js';
import { type FaceEvidence, type SpeakerCandidate, sliceEvidence } from '../../core/speaker-evidence.js';
import type { FaceTrack } from '../../core/tracks.js';

/** An unbroken run of frames of one track and what was measured in it. */
export type Stretch = {
  readonly trackId: number;
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly evidence: FaceEvidence;
};

/** A face of the result and the tracks it was made of. */
export type FaceOrigin = FaceTrack & { readonly sources: readonly TrackSource[] };

/** Joins final faces to what was measured of them; a stretch that a shot boundary divides is divided too. */
export function candidatesOf(
  faces: readonly FaceOrigin[],
  stretches: readonly Stretch[],
  originSec: number,
): SpeakerCandidate[] {
  const gridFrame = (timeSec: number) => Math.round((timeSec - originSec) * gridRateHz);
  return faces.flatMap(({ faceId, boxes, sources }) =>
    sources.flatMap(source =>
      stretches
        .filter(stretch => stretch.trackId === source.trackId)
        .flatMap(stretch => {
          const from = Math.max(source.startFrame, stretch.firstFrame);
          const to = Math.min(source.endFrame - 1, stretch.lastFrame);
          const frames = boxes.filter(box => box.frameNumber >= from && box.frameNumber <= to);
          const [first, last] = [frames[0], frames.at(-1)];
          if (!first || !last) return [];
          const evidence = sliceEvidence(
            stretch.evidence,
            gridFrame(first.timeSec),
            gridFrame(last.timeSec) + 1,
          );
          return [{ faceId, frames, evidence }];
        }),
    ),
  );
}
