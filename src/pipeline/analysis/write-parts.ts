import { decideSpeakers, type SpeakerDecision } from '../../core/active-speaker.js';
import { toActiveSpeaker } from '../../core/active-speaker-result.js';
import { toContent } from '../../core/content/content.js';
import { diarize, voicesOfFaces } from '../../core/diarization/diarize.js';
import { heardAndSeen } from '../../core/diarization/heard-and-seen.js';
import { nameWords } from '../../core/diarization/name-words.js';
import { splitAtShots, toFaceTracking } from '../../core/face-tracking.js';
import { findPeople } from '../../core/people/find-people.js';
import { toSceneDetection } from '../../core/scene-detection.js';
import type { SpeakerEvidence } from '../../core/speaker-evidence.js';
import { writeTranscription } from '../../core/write-transcription.js';
import type { TranscriptionModel } from '../../inference/transcription-model.js';
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
  /** What writes down what is said; absent where the source has no sound. */
  readonly words?: Pick<TranscriptionModel, 'name' | 'language'> | undefined;
  /** Id of what tells voices apart; absent where nothing does. */
  readonly voiceName?: string | undefined;
  /** Start of the range, seconds. */
  readonly startSec: number;
  readonly stopwatch: Stopwatch;
};

/** Everything that decides who speaks; absent where nobody listened. */
export function evidenceOf(found: Found, { have, startSec }: PartWriter): SpeakerEvidence | undefined {
  const { shots = [], stretches, speech, sound, voices = new Int8Array(0), voiceSize } = found;
  if (!stretches || !speech) return undefined;
  const candidates = candidatesOf(facesOf(found, have), stretches, startSec);
  return {
    candidates,
    speech,
    ...(sound && { sound: { ...sound, voices, ...(voiceSize !== undefined && { voiceSize }) } }),
    shots,
    originSec: startSec,
  };
}

/** Faces as the result will have them: tracks end with the shots they are in. */
function facesOf({ tracks, shots = [] }: Found, have: AnalysisParts): readonly FaceOrigin[] {
  if (tracks) return splitAtShots(tracks, shots);
  return have.face_tracking_yolov8 ? toFaces(have.face_tracking_yolov8) : [];
}

/** Writes what was found as the parts that are wanted, in the middle of an analysis and at its end. */
export function writeParts(found: Found, writer: PartWriter): AnalysisParts {
  const { facts, have, want, stopwatch } = writer;
  const { shots = [] } = found;
  const needs = (part: PartName) => want.includes(part) && !have[part];
  const faces = facesOf(found, have);
  const clock = { frameRateHz: facts.frameRateHz, totalFrames: facts.totalFrames };
  const parts: AnalysisParts = { ...have };
  if (needs('scene_detection'))
    parts.scene_detection = toSceneDetection(
      shots,
      { ...clock, durationSec: facts.durationSec },
      writer.shotName,
    );
  const { width, height } = facts.display;
  if (needs('content') && found.content)
    parts.content = stopwatch.time('decide', () =>
      toContent(found.content!, shots, faces, { ...clock, width, height }),
    );
  let speakers = have.active_speaker;
  if (!speakers && (needs('active_speaker') || needs('diarization'))) {
    const evidence = evidenceOf(found, writer);
    const decisions = evidence
      ? stopwatch.time('decide', () => decideSpeakers(evidence))
      : faces.map(unheard);
    speakers = toActiveSpeaker(decisions, clock);
  }
  const { speech, voices: heardVoices, voiceSize } = found;
  const heard = { speech, voices: heardVoices, voiceSize, originSec: writer.startSec };
  if (needs('face_tracking_yolov8')) {
    const { looks } = found;
    // Who speaks by another analysis speaks with other numbers.
    const voices = () =>
      voicesOfFaces(heardAndSeen(have.active_speaker ? undefined : speakers, undefined, heard));
    const people =
      looks && stopwatch.time('identities', () => findPeople(faces, { looks, voices: voices() }));
    const source = { ...clock, width, height };
    parts.face_tracking_yolov8 = toFaceTracking(faces, source, { model: writer.faceName!, people });
  }
  if (needs('active_speaker')) parts.active_speaker = speakers!;
  if (needs('diarization')) {
    const known = heardAndSeen(speakers, parts.face_tracking_yolov8, heard);
    const model = writer.voiceName ?? 'active_speaker';
    parts.diarization = stopwatch.time('decide', () => diarize(known, model));
  }
  if (needs('transcription')) {
    // Without sound nothing is said, in no language.
    const { name: model, language } = writer.words ?? { name: 'none', language: 'und' };
    const segments = parts.diarization?.segments ?? [];
    const words = nameWords(found.words ?? [], segments, writer.startSec);
    parts.transcription = writeTranscription(words, { model, language, originSec: writer.startSec });
  }
  return parts;
}

/** Without sound nothing is measured and nobody speaks: every score is 0. */
const unheard = ({ faceId, boxes }: FaceOrigin): SpeakerDecision => ({
  faceId,
  frames: boxes,
  score: new Float32Array(boxes.length),
  speaking: new Uint8Array(boxes.length),
  confidence: new Float32Array(boxes.length),
});
