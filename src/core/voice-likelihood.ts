/** Lengths of pieces that the calibration saw; lengths beyond count as these. */
const [leastSec, mostSec] = [0.7, 3.5];

/**
 * Logistic regression on 60 speakers of the voice pack who were not trained on (`models/training/voice/calibrate.py`):
 * pairs of different recordings, pieces of 0.7–3.4 s, half of them in rooms with noise 10 dB below, both kinds of pairs
 * of the same weight. Belongs to version 1 of `edge-voice`: whoever retrains the model replaces these four.
 */
const weights = { cosine: 11.9937, cosineByDoubt: -1.5613, offset: -3.8879, offsetByDoubt: 1.1315 } as const;

/**
 * How much more likely the cosine of two pieces of speech is when one voice said both than when two did: the natural
 * logarithm of the ratio. 0 says nothing; with no opinion beforehand, 3 means 95 % sure that it is one voice.
 *
 * On 174 other speakers it costs 0.35 bits at 3 s, 0.45 at 1.5 s and 0.60 at 1 s (0.60, 0.79 and 0.82 in rooms with noise;
 * 0 is a perfect judge, 1 one who says nothing), 0.01–0.06 of which better calibration could win. Two strangers of one
 * sex and language are more alike than the average of those pairs, so the ratio is too high for them.
 *
 * Embeddings of other networks are judged by the same numbers: two pieces of 1.5 s are as likely one voice as two at a cosine
 * of 0.24, and each 0.1 more or less is one unit. That is near to where networks trained with angular margins have their
 * equal error rates; how well it fits one of them nobody has measured.
 *
 * @param cosine - Of the pieces' embeddings, −1…1.
 * @param secondsA, secondsB - Lengths of the pieces, above 0.
 */
export function voiceLikelihood(cosine: number, secondsA: number, secondsB: number): number {
  const doubt = doubtOf(secondsA) + doubtOf(secondsB);
  const { cosine: slope, cosineByDoubt, offset, offsetByDoubt } = weights;
  return (slope + cosineByDoubt * doubt) * cosine + offset + offsetByDoubt * doubt;
}

const doubtOf = (seconds: number) => 1 / Math.min(mostSec, Math.max(leastSec, seconds));
