import { clamp } from './series.js';
import { voicePieceSec, voiceStepSec } from './speaker-evidence.js';
import { voiceLikelihood } from './voice-likelihood.js';

/** A piece of sound with enough speech in it to tell a voice by. */
export type VoicePiece = {
  /** Rank among all pieces of the sound; neighbours overlap. */
  readonly index: number;
  /** A row, see `SoundEvidence.voices`. */
  readonly voice: Int8Array;
  /** Seconds of speech in the piece. */
  readonly speechSec: number;
  /** By face: how likely the face has the voice, mean over the piece's speech, 0–1. */
  readonly owners: ReadonlyMap<number, number>;
};

/** Below this probability a piece says nothing of how a face's voice sounds; from there on it counts more and more. */
const sureFrom = 0.5;
/** A face is known by so much of its own speech, not less. */
const leastSec = 0.7;
/**
 * Taken off each log-likelihood ratio: people recorded together sound more alike than the pairs of recordings that the
 * ratio was calibrated on. Together with the weight of voices chosen on scenes of training people by their loss, .704
 * without, .686 with (models/training/decision).
 */
const togetherBias = 1;
/** No piece is believed beyond: a piece may hold two voices. */
const mostSure = 2;

/**
 * How each piece of sound fits the voice that each face has in the pieces which are surely the face's own. A piece never
 * speaks for itself: the piece and its neighbours, which share its sound, are left out of the voice that it is held
 * against, so that a wrong guess does not confirm itself.
 *
 * @returns Per piece, by face: log-likelihood ratio of "this face's voice" to "somebody else's"; faces that are not
 * known well enough are absent.
 */
export function enrolVoices(pieces: readonly VoicePiece[]): ReadonlyMap<number, number>[] {
  const known = new Map<number, Enrolled>();
  for (const piece of pieces)
    for (const face of piece.owners.keys()) {
      const enrolled = known.get(face) ?? { sum: new Float64Array(piece.voice.length), sec: 0 };
      known.set(face, enrolled);
      add(enrolled, piece, face, 1);
    }
  return pieces.map((piece, p) => {
    const near = pieces
      .slice(Math.max(0, p - 1), p + 2)
      .filter(other => Math.abs(other.index - piece.index) <= 1);
    const ratios = new Map<number, number>();
    for (const face of piece.owners.keys()) {
      const { sum, sec } = known.get(face)!;
      const others = { sum: sum.slice(), sec };
      for (const other of near) add(others, other, face, -1);
      if (others.sec < leastSec) continue;
      const ratio = voiceLikelihood(cosine(others.sum, piece.voice), piece.speechSec, others.sec);
      ratios.set(face, clamp(ratio - togetherBias, -mostSure, mostSure));
    }
    return ratios;
  });
}

/** A face's voice: the weighted sum of its pieces, and how many seconds went into the sum. */
type Enrolled = { readonly sum: Float64Array; sec: number };

function add(to: Enrolled, { voice, speechSec, owners }: VoicePiece, face: number, sign: 1 | -1): void {
  const sure = clamp(((owners.get(face) ?? 0) - sureFrom) / (1 - sureFrom), 0, 1);
  const weight = (sign * sure * speechSec) / voicePieceSec;
  if (!weight) return;
  for (let i = 0; i < voice.length; i++) to.sum[i]! += weight * voice[i]!;
  to.sec += weight * voiceStepSec;
}

/** The cosine of two directions; 0 where one of them has none. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    dot += a[i]! * b[i]!;
    aa += a[i]! * a[i]!;
    bb += b[i]! * b[i]!;
  }
  return aa && bb ? dot / Math.sqrt(aa * bb) : 0;
}
