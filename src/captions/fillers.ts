import type { WordSpan } from '../core/sentences.js';
import { joinWords } from '../core/write-transcription.js';
import type { TimeRange } from '../schema/time.js';
import type { TranscribedWord, Transcription } from '../schema/transcription.js';
import { keptRanges } from './kept-ranges.js';

/** Words that say nothing: a sound of thinking, or a start that is said again. */
export type Filler = WordSpan & { readonly kind: 'sound' | 'repeat'; readonly text: string };

const sound = /^(?:u+h+m*|u+m+|e+r+m*|e+h+m*|hm+|mhm+|a+h+|ä+h+m*|euh+|ehm+)$/u;
/** Said twice on purpose often enough: "very very", "no no", "bye bye". */
const emphatic = new Set(
  'very really so no yes yeah bye ha many much long far had that well ok okay'.split(' '),
);
/** Longest start that is looked for, words. */
const longestStart = 4;
/** Between a start and its repetition, seconds. */
const longestHesitationSec = 1.5;

const plain = ({ word }: TranscribedWord) => word.toLowerCase().replace(/[^\p{L}\p{N}'’]/gu, '');

/**
 * Lists sounds of thinking (um, uh, …) and starts of up to four words that are said again at once ("I think, I think we");
 * the earlier of the two is the filler. What is said twice for emphasis ("very, very") is not listed.
 */
export function findFillers({ words }: Pick<Transcription, 'words'>): Filler[] {
  const texts = words.map(plain);
  const fillers: Filler[] = [];
  const note = (kind: Filler['kind'], firstWord: number, count: number) => {
    const text = joinWords(words.slice(firstWord, firstWord + count));
    fillers.push({ kind, firstWord, lastWord: firstWord + count - 1, text });
    return count;
  };
  for (let i = 0; i < words.length; ) {
    if (sound.test(texts[i]!)) {
      i += note('sound', i, 1);
      continue;
    }
    const count = startSaidAgain(words, texts, i);
    i += count ? note('repeat', i, count) : 1;
  }
  return fillers;
}

/** How many words from `first` on are said again right behind them; 0 for none. */
function startSaidAgain(words: readonly TranscribedWord[], texts: readonly string[], first: number): number {
  for (let count = longestStart; count > 0; count--) {
    // Sounds of thinking between the two do not make a start another one.
    let second = first + count;
    while (second < texts.length && sound.test(texts[second]!)) second++;
    if (second + count > texts.length) continue;
    const isSame = texts.slice(first, first + count).every((text, k) => text && text === texts[second + k]);
    const hesitationSec = isSame ? words[second]!.start - words[first + count - 1]!.end : 0;
    const isOneVoice = isSame && words[first]!.speaker === words[second]!.speaker;
    const isEmphatic = count === 1 && emphatic.has(texts[first]!);
    if (isOneVoice && !isEmphatic && hesitationSec <= longestHesitationSec) return count;
  }
  return 0;
}

/**
 * What is left of a source without the given fillers: each goes from its first word up to where the next word begins, so
 * that no pause is left where it was, but no more than 0.3 s of a pause.
 *
 * @param fillers - Those of {@link findFillers} that somebody agreed to.
 * @param totalSec - Length of the source.
 * @returns Ranges to keep, in order.
 */
export function removeFillers(
  { words }: Pick<Transcription, 'words'>,
  fillers: readonly WordSpan[],
  totalSec: number,
): TimeRange[] {
  const removed = fillers.map(({ firstWord, lastWord }) => {
    const [first, last, next] = [words[firstWord], words[lastWord], words[lastWord + 1]];
    if (!first || !last)
      throw new RangeError(`${firstWord}–${lastWord} are no words of a transcript of ${words.length}.`);
    return { startSec: first.start, endSec: Math.min(next?.start ?? last.end, last.end + 0.3) };
  });
  return keptRanges(removed, totalSec);
}
