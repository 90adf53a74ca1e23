import type { TranscribedWord } from '../schema/transcription.js';
import { unspacedScript } from './unspaced-script.js';

/** A token as a model writes it; a space at its beginning begins a word. */
type Token = {
  readonly text: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly logProbability: number;
};

/** Whether speech is heard at times, from 0 on. */
export type SpeechCurve = {
  readonly stepSec: number;
  /** Probability of speech, 0–1, for each step. */
  readonly values: Float32Array;
};

/** Below this a step has no speech in it that a word could be. Chosen low: the gate is late at soft beginnings. */
const heardProbability = 0.2;
/** How far beside its time a word may be heard, seconds: the precision of the times. */
const toleranceSec = 0.2;
const hasLetter = /[\p{L}\p{N}]/u;

/**
 * Joins tokens into words: marks belong to the word before them and take no time; a word is as sure as its least sure
 * token. Words end where speech ends, and begin where it begins; those with no speech under them were never said and are
 * left out.
 */
export function wordsOfTokens(tokens: readonly Token[], speech: SpeechCurve): TranscribedWord[] {
  const words: { word: string; start: number; end: number; confidence: number }[] = [];
  for (const { text, startSec, endSec, logProbability } of tokens) {
    const confidence = Math.exp(logProbability);
    const last = words.at(-1);
    const letters = text.trim();
    const begins = !last || /^\s/u.test(text) || unspacedScript.test(letters[0] ?? '');
    if (begins && hasLetter.test(letters))
      words.push({ word: letters, start: startSec, end: endSec, confidence });
    else if (last) {
      last.word += letters;
      if (!hasLetter.test(letters)) continue;
      last.end = endSec;
      last.confidence = Math.min(last.confidence, confidence);
    }
  }
  return words.flatMap(word => clampToSpeech(word, speech) ?? []);
}

function clampToSpeech(word: TranscribedWord, { stepSec, values }: SpeechCurve): TranscribedWord | undefined {
  const heard = (from: number, to: number) => {
    const steps: number[] = [];
    for (
      let step = Math.max(0, Math.floor(from / stepSec));
      step < Math.min(values.length, to / stepSec);
      step++
    )
      if (values[step]! >= heardProbability) steps.push(step);
    return steps;
  };
  const inside = heard(word.start, word.end);
  if (!inside.length)
    return heard(word.start - toleranceSec, word.end + toleranceSec).length ? word : undefined;
  const start = Math.max(word.start, inside[0]! * stepSec);
  return { ...word, start, end: Math.max(start, Math.min(word.end, (inside.at(-1)! + 1) * stepSec)) };
}
