import type { WordSpan } from '../core/sentences.js';
import { clamp } from '../core/series.js';
import type { TimeRange } from '../schema/time.js';
import type { TranscribedWord, Transcription } from '../schema/transcription.js';

/** Sound kept before the first word and after the last, seconds, where nobody else speaks there. */
const marginSec = 0.15;

/**
 * The stretches of the source in which the given words are said, in the order of the source: the words themselves and up
 * to 0.15 s of the pauses around them, half of a shorter pause. Spans that touch become one stretch.
 *
 * @param spans - Indices into the transcript's words, both inclusive, in any order.
 * @throws RangeError for a span that is not within the words.
 */
export function selectWords(
  { words }: Pick<Transcription, 'words'>,
  spans: readonly WordSpan[],
): TimeRange[] {
  const ranges: { startSec: number; endSec: number; lastWord: number }[] = [];
  for (const { firstWord, lastWord } of [...spans].sort((a, b) => a.firstWord - b.firstWord)) {
    checkSpan(firstWord, lastWord, words.length);
    const before = ranges.at(-1);
    if (before && firstWord <= before.lastWord + 1) {
      if (lastWord <= before.lastWord) continue;
      before.lastWord = lastWord;
      before.endSec = endOf(words, lastWord);
    } else ranges.push({ startSec: startOf(words, firstWord), endSec: endOf(words, lastWord), lastWord });
  }
  return ranges.map(({ startSec, endSec }) => ({ startSec, endSec }));
}

function checkSpan(firstWord: number, lastWord: number, count: number): void {
  const isSpan = Number.isInteger(firstWord) && Number.isInteger(lastWord) && firstWord <= lastWord;
  if (!isSpan || firstWord < 0 || lastWord >= count)
    throw new RangeError(`${firstWord}–${lastWord} are no words of a transcript of ${count}.`);
}

function startOf(words: readonly TranscribedWord[], index: number): number {
  const { start } = words[index]!;
  const pauseSec = start - (words[index - 1]?.end ?? Number.NEGATIVE_INFINITY);
  return Math.max(0, start - clamp(pauseSec / 2, 0, marginSec));
}

function endOf(words: readonly TranscribedWord[], index: number): number {
  const { end } = words[index]!;
  const pauseSec = (words[index + 1]?.start ?? Number.POSITIVE_INFINITY) - end;
  return end + clamp(pauseSec / 2, 0, marginSec);
}
