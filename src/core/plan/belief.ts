import type { ActiveSpeaker } from '../../schema/result.js';

type Score = ActiveSpeaker['tracks'][number]['scores'][number];

/**
 * Probability that a face speaks in a frame: the result's own `confidence`, or, where there is none, what decision and
 * score were worth on the mixes that may be tuned to and on composites with exact truth: of the frames that were decided
 * to speak with a score of 0, 1, 2, 3 and 4, 74, 85, 92, 94 and 99 % did; of those that were decided to be silent with
 * -2, -1, 0, 1 and 2, 1, 3, 11, 11 and 35 %.
 */
export function speakingProbability({ confidence, score, speaking }: Omit<Score, 'timestamp'>): number {
  if (confidence !== undefined) return confidence;
  if (speaking) return logistic(1.05 + 0.75 * score);
  return Math.min(0.35, logistic(-2.1 + (score < 0 ? 1.2 : 0.6) * score));
}

/** From this probability on a face that was not decided to speak is heard out all the same. */
const worthATurn = 0.35;

/** Whether a face speaks likely enough in a frame for turns to be made of it. */
export const isWorthATurn = ({ confidence = 0, speaking }: Omit<Score, 'timestamp' | 'score'>): boolean =>
  speaking || confidence > worthATurn;

const logistic = (x: number) => 1 / (1 + Math.exp(-x));
