import { agreementAt, type LipAgreement } from './lip-agreement.js';
import { movingMean } from './moving-mean.js';
import { clamp } from './series.js';
import type { FaceEvidence } from './speaker-evidence.js';

/**
 * What a face's chance to have the voice is reckoned from: centred means, over the seconds in the name, of the speaker
 * model's score, of the score less its value at wrong moments of the sound, and of the agreement of lips and sound at
 * the face's own offset. Nothing depends on the size of the picture.
 */
export const featureNames = [
  'score 0.2 s',
  'score 1 s',
  'score 4 s',
  'contrast 0.5 s',
  'contrast 2 s',
  'sync 0.5 s',
  'sync 1 s',
  'sync 2 s',
  'sync 4 s',
] as const;
export const featureCount = featureNames.length;

/** Frames of the 25 Hz grid for the seconds in the names, odd so that they have a middle. */
const windows = { score: [5, 25, 101], contrast: [13, 51], sync: [13, 25, 51, 101] } as const;
/** Scores beyond are alike: a mouth that surely talks must not outvote the sound. Halved, they are as large as agreement. */
const cap = 4;

/**
 * @param offset - Frames by which the lips follow the sound.
 * @returns `[featureCount]` series, one value per frame of the face.
 */
export function speakerFeatures(
  { score, shifted }: Pick<FaceEvidence, 'score' | 'shifted'>,
  agreement: LipAgreement | undefined,
  offset: number,
): Float64Array[] {
  const bounded = (value: number) => clamp(value, -cap, cap) / 2;
  const sources = {
    score: Float64Array.from(score, bounded),
    contrast: contrastOf({ score, shifted }).map(bounded),
    sync: agreement?.frames ? agreementAt(agreement, offset) : new Float64Array(score.length),
  };
  return (['score', 'contrast', 'sync'] as const).flatMap(name =>
    windows[name].map(frames => movingMean(sources[name], frames)),
  );
}

/** The score less its value at wrong moments of the sound; 0 where there are no wrong moments. */
export const contrastOf = ({ score, shifted }: Pick<FaceEvidence, 'score' | 'shifted'>): Float64Array =>
  Float64Array.from(score, (value, i) => (Number.isNaN(shifted[i]!) ? 0 : value - shifted[i]!));
