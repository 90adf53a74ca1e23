import type { ActiveSpeaker, FaceTracking } from '../../schema/result.js';
import type { SoundEvidence } from '../speaker-evidence.js';
import { type SpeechProbability, speechIntervals } from '../speech.js';
import type { HeardAndSeen } from './diarize.js';
import { speakingTurns } from './speaking-turns.js';

/** What was measured of the sound; absent where there is none. */
export type HeardSound = {
  readonly speech?: SpeechProbability | undefined;
  readonly voices?: SoundEvidence['voices'] | undefined;
  readonly voiceSize?: number | undefined;
  readonly originSec: number;
};

/** What an analysis knows of who speaks, as diarization takes it. */
export function heardAndSeen(
  speakers: ActiveSpeaker | undefined,
  faces: Pick<FaceTracking, 'tracks'> | undefined,
  { speech, voices, voiceSize, originSec }: HeardSound,
): HeardAndSeen {
  return {
    speech: speech ? speechIntervals(speech) : [],
    turns: speakers ? speakingTurns(speakers, faces) : [],
    onScreen:
      speakers?.tracks.map(({ face_id, first_seen, last_seen }) => ({
        ...{ faceId: face_id, startSec: first_seen, endSec: last_seen },
      })) ?? [],
    voices: voices ?? new Int8Array(0),
    ...(voiceSize !== undefined && { voiceSize }),
    originSec,
  };
}
