import type { TranscribedWord } from '../schema/transcription.js';

/** A run of words by their indices, both inclusive. */
export type WordSpan = { readonly firstWord: number; readonly lastWord: number };

/** A silence this long, in seconds, ends a sentence, whatever its punctuation: nobody breathes for longer within one. */
const sentencePauseSec = 1;
/** Closing quotes and brackets may follow the mark. */
const sentenceEnd = /[.!?…。！？｡؟۔।]["'”’»)\]」』）]*$/u;
/** Not ends: "Dr.", single letters as in "J. R. R.", and numbers that go on. */
const abbreviation = /^["'“‘«(]*(?:\p{L}|dr|mr|mrs|ms|st|prof|jr|sr|vs|etc|e\.g|i\.e)\.$/iu;

/** Whether a word, as it is written, ends a sentence. */
export const endsSentence = (word: string): boolean => sentenceEnd.test(word) && !abbreviation.test(word);

/** The sentences of a transcript, in order; they tile its words. They end at marks, pauses of a second, and new speakers. */
export function sentencesOf(words: readonly TranscribedWord[]): WordSpan[] {
  const sentences: WordSpan[] = [];
  let firstWord = 0;
  words.forEach((word, i) => {
    const next = words[i + 1];
    const ends =
      !next ||
      endsSentence(word.word) ||
      next.start - word.end >= sentencePauseSec ||
      next.speaker !== word.speaker;
    if (!ends) return;
    sentences.push({ firstWord, lastWord: i });
    firstWord = i + 1;
  });
  return sentences;
}
