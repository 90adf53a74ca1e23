import { unspacedScript } from '../core/unspaced-script.js';
import type { TranscribedWord } from '../schema/transcription.js';

/** What a line is made of and never broken within: a word, or in scripts without spaces a piece of text that reads as one. */
export type CaptionUnit = {
  readonly text: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly speaker?: string;
  /** Whether a space stands before the unit where another one precedes it in its line. */
  readonly spaced: boolean;
  /** Characters, wide ones of East Asia as two. */
  readonly columns: number;
};

/** Drawn as wide as two Latin letters (Unicode Standard Annex 11, the blocks in use). */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60]|\p{Emoji_Presentation}/u;
/** Marks that may not end a line, and belong to what follows. */
const opening = /^[「『（《〈【［“‘«([{¿¡]+$/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Characters of a text as people count them; wide characters of East Asia count as two, as in subtitling guides. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const { segment } of graphemes.segment(text)) columns += wide.test(segment) ? 2 : 1;
  return columns;
}

/**
 * Cuts a transcript into what lines are made of. Words with spaces stay as they are, up to the length of a line; runs
 * of words in scripts without spaces are cut anew by `Intl.Segmenter`, with marks kept at the word that they belong to.
 *
 * @param language - BCP 47 tag, for the segmenter.
 */
export function captionUnits(
  words: readonly TranscribedWord[],
  language: string,
  maxColumns: number,
): CaptionUnit[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' });
  const units: CaptionUnit[] = [];
  let run: TranscribedWord[] = [];
  const close = () => {
    if (run.length) units.push(...unitsOfRun(run, segmenter, maxColumns));
    run = [];
  };
  for (const word of words) {
    const text = word.word.replace(/\s+/gu, ' ').trim();
    if (!text) continue;
    const last = run.at(-1);
    const joins =
      last !== undefined &&
      last.speaker === word.speaker &&
      unspacedScript.test(last.word.at(-1)!) &&
      unspacedScript.test(text[0]!);
    if (!joins) close();
    run.push({ ...word, word: text });
  }
  close();
  return units;
}

function unitsOfRun(
  run: readonly TranscribedWord[],
  segmenter: Intl.Segmenter,
  maxColumns: number,
): CaptionUnit[] {
  const text = run.map(({ word }) => word).join('');
  const pieces = unspacedScript.test(text) ? piecesOf(text, segmenter) : [text];
  let at = 0;
  return pieces
    .flatMap(piece => fitting(piece, maxColumns))
    .map((piece, i) => {
      const from = at;
      at += piece.length;
      const unit = {
        text: piece.trim(),
        startSec: timeAt(run, from, 'start'),
        endSec: timeAt(run, at, 'end'),
        spaced: i === 0 || piece.startsWith(' '),
        columns: columnsOf(piece.trim()),
      };
      const { speaker } = run[0]!;
      return speaker === undefined ? unit : { ...unit, speaker };
    })
    .filter(unit => unit.text);
}

/** Words as the segmenter sees them, closing marks with the word before them and opening ones with the word behind. */
function piecesOf(text: string, segmenter: Intl.Segmenter): string[] {
  const pieces: string[] = [];
  let open = '';
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (opening.test(segment)) open += segment;
    else if (isWordLike || open || !pieces.length) {
      pieces.push(open + segment);
      open = '';
    } else pieces.push(pieces.pop()! + segment);
  }
  if (open) pieces.push((pieces.pop() ?? '') + open);
  return pieces;
}

/** A text in pieces that each fit a line; only what is longer than a line, such as an address, is cut at all. */
function fitting(text: string, maxColumns: number): string[] {
  if (columnsOf(text) <= maxColumns) return [text];
  const pieces = [''];
  for (const { segment } of graphemes.segment(text)) {
    if (columnsOf(pieces.at(-1)! + segment) > maxColumns) pieces.push('');
    pieces.push(pieces.pop()! + segment);
  }
  return pieces;
}

/** The time of a place in the text of a run, each word's time spread evenly over its letters. */
function timeAt(run: readonly TranscribedWord[], place: number, edge: 'start' | 'end'): number {
  let before = 0;
  for (const { word, start, end } of run) {
    const within = place - before;
    if (edge === 'start' ? within < word.length : within <= word.length)
      return start + (end - start) * (within / word.length);
    before += word.length;
  }
  return run.at(-1)!.end;
}
