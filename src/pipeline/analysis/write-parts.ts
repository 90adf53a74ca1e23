import { decideSpeakers, type SpeakerDecision } from '../../core/active-speaker.js';
import { toActiveSpeaker } from '../../core/active-speaker-result.js';
import { splitAtShots, toFaceTracking } from '../../core/face-tracking.js';
import { toSceneDetection } from '../../core/scene-detection.js';
import type { Shot } from '../../core/shot-boundaries.js';
import type { SoundEvidence } from '../../core/speaker-evidence.js';
import type { FaceTrack } from '../../core/tracks.js';
import type { MediaFacts } from '../../media/media.js';
import type { AnalysisParts, PartName } from '../../schema/result.js';
import type { Stopwatch } from '../stopwatch.js';
import { candidatesOf, type FaceOrigin, type Heard } from './speaker-lane.js';

/** What the lanes of an analysis know at one moment. */
export type Found = {
  readonly shots: readonly Shot[];
  /** Absent where the faces were known before. */
  readonly tracks?: readonly FaceTrack[];
  readonly heard?: Heard & { readonly sound?: SoundEvidence };
};

/** What does not change while an analysis runs. */
export type PartWriter = {
  readonly facts: MediaFacts;
  /** Parts that exist already. */
  readonly have: AnalysisParts;
  readonly needs: (part: PartName) => boolean;
  readonly knownFaces: readonly FaceOrigin[] | undefined;
  /** Ids of what finds shots and faces. */
  readonly shotName: string;
  readonly faceName: string | undefined;
  /** Start of the range, seconds. */
  readonly startSec: number;
  readonly stopwatch: Stopwatch;
};

/** Writes what was found as the parts that are wanted, in the middle of an analysis and at its end. */
export function writeParts(found: Found, writer: PartWriter): AnalysisParts {
  const { facts, have, needs, startSec, stopwatch } = writer;
  const faces: readonly FaceOrigin[] = found.tracks
    ? splitAtShots(found.tracks, found.shots)
    : (writer.knownFaces ?? []);
  const clock = { frameRateHz: facts.frameRateHz, totalFrames: facts.totalFrames };
  const parts: AnalysisParts = { ...have };
  if (needs('scene_detection'))
    parts.scene_detection = toSceneDetection(
      found.shots,
      { ...clock, durationSec: facts.durationSec },
      writer.shotName,
    );
  if (needs('face_tracking_yolov8')) {
    const { width, height } = facts.display;
    parts.face_tracking_yolov8 = toFaceTracking(faces, { ...clock, width, height }, writer.faceName!);
  }
  if (needs('active_speaker')) {
    const { heard } = found;
    const decisions = heard
      ? stopwatch.time('decide', () =>
          decideSpeakers({
            candidates: candidatesOf(faces, heard.stretches, startSec),
            speech: heard.speech,
            ...(heard.sound && { sound: heard.sound }),
            shots: found.shots,
            originSec: startSec,
          }),
        )
      : faces.map(unheard);
    parts.active_speaker = toActiveSpeaker(decisions, clock);
  }
  return parts;
}

/** Without sound nothing is measured and nobody speaks: every score is 0. */
const unheard = ({ faceId, boxes }: FaceOrigin): SpeakerDecision => ({
  faceId,
  frames: boxes,
  score: new Float32Array(boxes.length),
  speaking: new Uint8Array(boxes.length),
});
