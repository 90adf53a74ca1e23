import type { FrameTime, TimeRange } from '../schema/time.js';
import type { SpeechProbability } from './speech.js';

/** Numbers per frame that lips and sound are compared by; see `lipSync`. */
export const syncSize = 8;
/** Numbers by which the package's own network says how a voice sounds. */
export const voiceSize = 96;
/** Seconds of sound that one row of `SoundEvidence.voices` stands for, and from the start of one to that of the next. */
export const voicePieceSec = 1.5;
export const voiceStepSec = 0.75;

/** What was measured of one stretch of a face, per frame of the 25 Hz grid from `firstGridFrame` on: 40 bytes each. */
export type FaceEvidence = {
  readonly firstGridFrame: number;
  /** Raw score of the speaker model: above 0 the mouth talks. */
  readonly score: Float32Array;
  /** Mean score of the same face against wrong moments of the sound; NaN where there are none. */
  readonly shifted: Float32Array;
  /** What the lips do, `[frames, syncSize]`; empty where the speaker model has no projection for it. */
  readonly lips: Float32Array;
};

/** What was measured of the sound from grid frame 0 on. */
export type SoundEvidence = {
  /** What lips would do to make this sound, `[frames, syncSize]` at 25 Hz; empty like `FaceEvidence.lips`. */
  readonly lips: Float32Array;
  /**
   * How the voice of each piece of sound sounds, `[pieces, voiceSize]`: unit vectors times 127, zeros where too little
   * of a piece is speech; empty where no network says it.
   */
  readonly voices: Int8Array;
  /** Numbers in a row of `voices`, where another network made them. Default {@link voiceSize}. */
  readonly voiceSize?: number;
};

/** One stretch of a face track, within one shot, with its frames and what was measured of it. */
export type SpeakerCandidate = {
  readonly faceId: number;
  /** The source frames in which the face has a box, in order. */
  readonly frames: readonly FrameTime[];
  readonly evidence: FaceEvidence;
};

/** Everything that decides who speaks. */
export type SpeakerEvidence = {
  readonly candidates: readonly SpeakerCandidate[];
  /** Absent for a source without sound: then nobody speaks. */
  readonly speech?: SpeechProbability;
  readonly sound?: SoundEvidence;
  /** The shots; they tile the source. */
  readonly shots: readonly TimeRange[];
  /** Time of grid frame 0. */
  readonly originSec: number;
};

/** The part of the evidence from grid frame `from` to before `to`. */
export function sliceEvidence(evidence: FaceEvidence, from: number, to: number): FaceEvidence {
  const begin = Math.max(0, from - evidence.firstGridFrame);
  const end = Math.max(begin, to - evidence.firstGridFrame);
  return {
    firstGridFrame: evidence.firstGridFrame + begin,
    score: evidence.score.slice(begin, end),
    shifted: evidence.shifted.slice(begin, end),
    lips: evidence.lips.slice(begin * syncSize, end * syncSize),
  };
}
