import { captionParts, selectWords, type Transcription } from '../src/captions/index.js';
import type { CaptionTrack, PartName, TimeRange } from '../src/index.js';
import type { Edit, State } from './state.js';

let last:
  | { heard: Transcription; words: Edit['words']; speakers: Edit['speakers']; made: Transcription }
  | undefined;

/** What is said, as the person corrected it; the same object until something changes. */
export function transcriptOf({ analysis, edit: { words, speakers } }: State): Transcription | undefined {
  const heard = analysis.known?.parts.transcription;
  if (!heard) return undefined;
  if (last?.heard === heard && last.words === words && last.speakers === speakers) return last.made;
  const nameOf = ({ speaker }: { readonly speaker?: string }) =>
    speaker === undefined ? {} : { speaker: speakers[speaker] ?? speaker };
  const made = {
    ...heard,
    words: heard.words.map(word => ({ ...word, word: words[keyOfWord(word)] ?? word.word, ...nameOf(word) })),
    segments: heard.segments.map(segment => ({ ...segment, ...nameOf(segment) })),
  };
  last = { heard, words, speakers, made };
  return made;
}

/** Corrections are found again by when the word is said: another analysis may count words otherwise. */
export const keyOfWord = ({ start }: { readonly start: number }): string => start.toFixed(2);

/** Rank of the word that is said at a time, or was said last; -1 before the first. */
export function wordAt({ words }: Transcription, timeSec: number): number {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (words[middle]!.start <= timeSec + 1e-3) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The stretch of the source that the selected words are said in; undefined where none are selected. */
export function selectedRange(
  state: State,
): { readonly startSec: number; readonly endSec: number } | undefined {
  const transcript = transcriptOf(state);
  const { selected } = state;
  if (!transcript || !selected || selected.lastWord >= transcript.words.length) return undefined;
  return selectWords(transcript, [selected])[0];
}

/**
 * Captions for the clip, corrections included; undefined where nothing was written down.
 *
 * @param keep - Pieces of the source that make the clip; default all of it.
 */
export function captionTrackOf(state: State, keep?: readonly TimeRange[]): CaptionTrack | undefined {
  const transcription = transcriptOf(state);
  const scene_detection = state.analysis.known?.parts.scene_detection;
  if (!transcription) return undefined;
  const captions = captionParts(
    { transcription, ...(scene_detection && { scene_detection }) },
    keep && { keep },
  );
  return { captions, language: transcription.language };
}

/** What an analysis computes: words only for who wants them, where they can be had. */
export const wantedParts = ({ wantsWords, wordsHere }: State): readonly PartName[] => [
  ...(['scene_detection', 'face_tracking_yolov8', 'active_speaker', 'content'] as const),
  ...(wantsWords && wordsHere ? (['diarization', 'transcription'] as const) : []),
];

/** Whether an analysis knows people again after cuts: for who wants it, where it can be had. */
export const wantsIdentities = ({ wantsPeople, peopleHere }: State): boolean =>
  wantsPeople && peopleHere === true;
