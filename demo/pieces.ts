import {
  commonRanges,
  findFillers,
  keptRanges,
  removeFillers,
  removeSilences,
  type Transcription,
  type WordSpan,
} from '../src/captions/index.js';
import type { TimeRange } from '../src/index.js';
import type { State } from './state.js';
import { selectedRange, transcriptOf } from './transcript.js';

/** A stretch that a clip can do without, and what it is: a pause, a sound of thinking or a start said again, words. */
export type Piece = TimeRange & { readonly kind: 'silence' | 'filler' | 'words'; readonly text: string };

const isSame = (a: TimeRange, b: TimeRange): boolean =>
  Math.abs(a.startSec - b.startSec) < 5e-3 && Math.abs(a.endSec - b.endSec) < 5e-3;

let last:
  | { readonly transcript: Transcription; readonly totalSec: number; readonly found: Piece[] }
  | undefined;

/** Pauses and fillers of what is said, in order; the same list until what is said changes. */
function spareOf(transcript: Transcription, totalSec: number): Piece[] {
  if (last?.transcript === transcript && last.totalSec === totalSec) return last.found;
  const silences = keptRanges(removeSilences(transcript, { totalSec }), totalSec);
  const found = [
    ...silences.map(range => ({ ...range, kind: 'silence' as const, text: 'pause' })),
    ...findFillers(transcript).flatMap(filler =>
      rangesOf(transcript, filler, totalSec).map(range => ({
        ...range,
        kind: 'filler' as const,
        text: filler.text,
      })),
    ),
  ].sort((a, b) => a.startSec - b.startSec);
  last = { transcript, totalSec, found };
  return found;
}

/** What goes with words that are left out. */
const rangesOf = (transcript: Transcription, words: WordSpan, totalSec: number): TimeRange[] =>
  keptRanges(removeFillers(transcript, [words], totalSec), totalSec);

/** All that can be left out or is, in order; the second list says which is. */
export function piecesOf(state: State): readonly (Piece & { readonly isOut: boolean })[] {
  const transcript = transcriptOf(state);
  if (!transcript?.words.length || !state.source || state.analysis.status !== 'done') return [];
  const { leftOut } = state.edit;
  const found = spareOf(transcript, state.source.facts.durationSec);
  const chosen = leftOut
    .filter(range => !found.some(piece => isSame(piece, range)))
    .map(range => ({ ...range, kind: 'words' as const, text: saidIn(transcript, range) }));
  return [...found, ...chosen]
    .map(piece => ({ ...piece, isOut: leftOut.some(range => isSame(piece, range)) }))
    .sort((a, b) => a.startSec - b.startSec);
}

const saidIn = ({ words }: Transcription, { startSec, endSec }: TimeRange): string =>
  words
    .filter(({ start, end }) => start < endSec - 1e-3 && end > startSec + 1e-3)
    .map(({ word }) => word)
    .join(' ');

/** The edit with some pieces left out, or back in. */
export function withPieces(
  leftOut: readonly TimeRange[],
  pieces: readonly TimeRange[],
  isOut: boolean,
): readonly TimeRange[] {
  const others = leftOut.filter(range => !pieces.some(piece => isSame(piece, range)));
  const added = isOut ? pieces.map(({ startSec, endSec }) => ({ startSec, endSec })) : [];
  return [...others, ...added].sort((a, b) => a.startSec - b.startSec);
}

/** What goes with the selected words. */
export function selectedPieces(state: State): TimeRange[] {
  const transcript = transcriptOf(state);
  return transcript && state.selected && state.source
    ? rangesOf(transcript, state.selected, state.source.facts.durationSec)
    : [];
}

/** What of the source a clip shows, in order; undefined where that is all of it. */
export function keptOf(state: State): readonly TimeRange[] | undefined {
  const { leftOut } = state.edit;
  const range = selectedRange(state);
  if (!state.source || (!leftOut.length && !range)) return undefined;
  const kept = keptRanges(leftOut, state.source.facts.durationSec);
  return range ? commonRanges(kept, [range]) : kept;
}

/** Where a playing video goes on that has come to what is left out; undefined where it just goes on. */
export function skipTo({ edit: { leftOut } }: State, timeSec: number): number | undefined {
  // A seek ends on a frame that may begin a little before.
  const inside = leftOut.find(({ startSec, endSec }) => timeSec >= startSec && timeSec < endSec - 0.1);
  return inside?.endSec;
}

/** Whether a word is left out: more than half of it. */
export const isLeftOut = (
  { edit: { leftOut } }: State,
  { start, end }: { readonly start: number; readonly end: number },
): boolean =>
  leftOut.some(({ startSec, endSec }) => (start + end) / 2 >= startSec && (start + end) / 2 < endSec);
