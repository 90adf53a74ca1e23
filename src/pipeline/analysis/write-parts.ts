import { decideSpeakers, type SpeakerDecision } from '../../core/active-speaker.js';
import { toActiveSpeaker } from '../../core/active-speaker-result.js';
import { splitAtShots, toFaceTracking } from '../../core/face-tracking.js';
import { toSceneDetection } from '../../core/scene-detection.js';
import type { MediaFacts } from '../../media/media.js';
import type { AnalysisParts, PartName } from '../../schema/result.js';
import type { Stopwatch } from '../stopwatch.js';
import type { Found } from './analysis-pass.js';
import { toFaces } from './passes/known-faces.js';
import { candidatesOf, type FaceOrigin } from './speaker-candidates.js';

/** What does not change while an analysis runs. */
export type PartWriter = {
  readonly facts: MediaFacts;
  /** Parts that exist already. */
  readonly have: AnalysisParts;
  readonly want: readonly PartName[];
  /** Ids of what finds shots and faces. */
  readonly shotName: string;
  readonly faceName: string | undefined;
  /** Start of the range, seconds. */
  readonly startSec: number;
  readonly stopwatch: Stopwatch;
};

/** Writes what was found as the parts that are wanted, in the middle of an analysis and at its end. */
export function writeParts(found: Found, writer: PartWriter): AnalysisParts {
  const { facts, have, want, startSec, stopwatch } = writer;
  const { shots = [], stretches, speech, sound } = found;
  const needs = (part: PartName) => want.includes(part) && !have[part];
  const known = have.face_tracking_yolov8;
  const faces: readonly FaceOrigin[] = found.tracks
    ? splitAtShots(found.tracks, shots)
    : known
      ? toFaces(known)
      : [];
  const clock = { frameRateHz: facts.frameRateHz, totalFrames: facts.totalFrames };
  const parts: AnalysisParts = { ...have };
  if (needs('scene_detection'))
    parts.scene_detection = toSceneDetection(
      shots,
      { ...clock, durationSec: facts.durationSec },
      writer.shotName,
    );
  if (needs('face_tracking_yolov8')) {
    const { width, height } = facts.display;
    parts.face_tracking_yolov8 = toFaceTracking(faces, { ...clock, width, height }, writer.faceName!);
  }
  if (needs('active_speaker')) {
    const decisions =
      stretches && speech
        ? stopwatch.time('decide', () =>
            decideSpeakers({
              candidates: candidatesOf(faces, stretches, startSec),
              speech,
              ...(sound && { sound }),
              shots,
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
