import { sentencesOf, type WordSpan } from '../core/sentences.js';
import { joinWords } from '../core/write-transcription.js';
import type { ActiveSpeaker } from '../schema/result.js';
import type { TimeRange } from '../schema/time.js';
import type { TranscribedWord, Transcription } from '../schema/transcription.js';
import { selectWords } from './select-words.js';

/** A piece that could stand alone. */
export type SuggestedClip = TimeRange &
  WordSpan & {
    readonly text: string;
    /** 0–1; clips come in its order, highest first. */
    readonly score: number;
    /** What the score is made of, each 0–1. */
    readonly reasons: Readonly<Record<keyof typeof weights, number>>;
  };

export type SuggestOptions = {
  /** Shortest clip, seconds. Default 20. */
  readonly leastSec?: number;
  /** Longest clip, seconds. Default 90. */
  readonly mostSec?: number;
  /** How many at most. Default 5. */
  readonly count?: number;
  /** Who speaks on screen: clips whose speakers are seen come first. */
  readonly faces?: ActiveSpeaker;
};

/** Chosen, not fitted: nobody's clicks are at hand. */
const weights = { density: 0.35, question: 0.2, laughter: 0.15, turns: 0.15, seen: 0.15 } as const;
const laughter = /^[[(](?:laughter|laughs|laughing)[\])]$|^(?:ha){2,}h?$/u;
/** Words a second of lively speech (200 a minute). */
const livelyRateHz = 200 / 60;

/**
 * Suggests pieces for clips: they begin and end with sentences, do not overlap, and are ranked by how densely they are
 * spoken, whether they open with a question, laughter that is written in the transcript, changes of speaker, and how much
 * of the speech is seen. No model is asked.
 *
 * @throws RangeError where `leastSec` is not below `mostSec`, or `count` below 1.
 */
export function suggestClips(
  transcription: Pick<Transcription, 'words'>,
  options: SuggestOptions = {},
): SuggestedClip[] {
  const { leastSec = 20, mostSec = 90, count = 5, faces } = options;
  if (!(leastSec > 0 && leastSec < mostSec))
    throw new RangeError('leastSec has to be above 0 and below mostSec.');
  if (!(count >= 1)) throw new RangeError(`count is ${count}; it has to be 1 or more.`);
  const { words } = transcription;
  const sentences = sentencesOf(words);
  const isSeen = seenAt(faces);
  const candidates: SuggestedClip[] = [];
  sentences.forEach(({ firstWord }, i) => {
    for (const { lastWord } of sentences.slice(i)) {
      const lengthSec = words[lastWord]!.end - words[firstWord]!.start;
      if (lengthSec > mostSec) break;
      if (lengthSec < leastSec) continue;
      const inside = words.slice(firstWord, lastWord + 1);
      const opening = words.slice(firstWord, sentences[i]!.lastWord + 1);
      const reasons = weigh(inside, opening, lengthSec, isSeen);
      const score = (Object.keys(weights) as (keyof typeof weights)[]).reduce(
        (sum, name) => sum + weights[name] * reasons[name],
        0,
      );
      const [range] = selectWords(transcription, [{ firstWord, lastWord }]);
      const text = joinWords(inside);
      candidates.push({ ...range!, firstWord, lastWord, text, score, reasons });
    }
  });
  candidates.sort((a, b) => b.score - a.score || a.startSec - b.startSec);
  const chosen: SuggestedClip[] = [];
  for (const clip of candidates) {
    if (chosen.length >= count) break;
    if (chosen.every(other => clip.firstWord > other.lastWord || clip.lastWord < other.firstWord))
      chosen.push(clip);
  }
  return chosen;
}

function weigh(
  words: readonly TranscribedWord[],
  opening: readonly TranscribedWord[],
  lengthSec: number,
  isSeen: (timeSec: number) => boolean,
): SuggestedClip['reasons'] {
  const share = (is: (word: TranscribedWord) => boolean) => words.filter(is).length / words.length;
  const changes = words.filter(({ speaker }, i) => i && speaker !== words[i - 1]!.speaker).length;
  return {
    density: Math.min(1, words.length / lengthSec / livelyRateHz),
    question: /[?？؟]/u.test(opening.at(-1)!.word) ? 1 : 0,
    laughter: words.some(({ word }) => laughter.test(word.toLowerCase().replace(/[.,!?]+$/u, ''))) ? 1 : 0,
    turns: Math.min(1, changes / (lengthSec / 10)),
    seen: share(({ start, end }) => isSeen((start + end) / 2)),
  };
}

/** Whether somebody is seen speaking at a time, in tenths of a second. */
function seenAt(faces: ActiveSpeaker | undefined): (timeSec: number) => boolean {
  const tenth = (timeSec: number) => Math.round(timeSec * 10);
  const seen = new Set<number>();
  for (const { scores } of faces?.tracks ?? [])
    for (const { timestamp, speaking } of scores) if (speaking) seen.add(tenth(timestamp));
  return timeSec => seen.has(tenth(timeSec));
}
