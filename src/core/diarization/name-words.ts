import type { Diarization, TranscribedWord } from '../../schema/transcription.js';

/** A word this far beside a turn is its speaker's, seconds: the precision of words' times and of turns' ends. */
const toleranceSec = 0.5;

/**
 * Says whose each word is: the speaker's whose segments cover most of the word, else the nearest one's.
 *
 * @param originSec - Time of the words' 0, seconds.
 */
export function nameWords(
  words: readonly TranscribedWord[],
  segments: Diarization['segments'],
  originSec = 0,
): TranscribedWord[] {
  const longestSec = segments.reduce((most, { start, end }) => Math.max(most, end - start), 0);
  let first = 0;
  return words.map(word => {
    const [from, to] = [originSec + word.start, originSec + word.end];
    while (first < segments.length && segments[first]!.start < from - longestSec - toleranceSec) first++;
    let [speaker, most]: [string | undefined, number] = [undefined, -toleranceSec];
    for (let i = first; i < segments.length && segments[i]!.start < to + toleranceSec; i++) {
      const segment = segments[i]!;
      // Negative is how far beside.
      const sharedSec = Math.min(to, segment.end) - Math.max(from, segment.start);
      if (sharedSec > most) [speaker, most] = [segment.speaker, sharedSec];
    }
    return speaker === undefined ? word : { ...word, speaker };
  });
}
