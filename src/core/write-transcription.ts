import type { TranscribedWord, Transcription } from '../schema/transcription.js';
import { sentencesOf } from './sentences.js';
import { unspacedScript } from './unspaced-script.js';

/** What the wire says of words. */
export type TranscriptionFacts = {
  /** The model's id. */
  readonly model: string;
  /** BCP 47 tag. */
  readonly language: string;
  /** Time of the first sample of the sound, seconds: added to the words' times. */
  readonly originSec: number;
};

/** Milliseconds are more than the models know. */
const rounded = (sec: number): number => Math.round(sec * 1000) / 1000;

/** Writes words in the wire's form: segments are sentences, and end at pauses of a second and with a new speaker. */
export function writeTranscription(
  words: readonly TranscribedWord[],
  { model, language, originSec }: TranscriptionFacts,
): Transcription {
  const placed = words.map(word => ({
    ...word,
    start: rounded(originSec + word.start),
    end: rounded(originSec + word.end),
    confidence: rounded(word.confidence),
  }));
  const segments = sentencesOf(placed).map(({ firstWord, lastWord }, id) => {
    const { start, speaker } = placed[firstWord]!;
    const text = joinWords(placed.slice(firstWord, lastWord + 1));
    const segment = { id, start, end: placed[lastWord]!.end, text };
    return speaker === undefined ? segment : { ...segment, speaker };
  });
  return { model, language, text: joinWords(placed), segments, words: placed };
}

/** Words as a text, with spaces where their script has them. */
export function joinWords(words: readonly Pick<TranscribedWord, 'word'>[]): string {
  let text = '';
  for (const { word } of words) {
    const isGlued = unspacedScript.test(text.at(-1) ?? '') && unspacedScript.test(word[0] ?? '');
    text += text && !isGlued ? ` ${word}` : word;
  }
  return text;
}
