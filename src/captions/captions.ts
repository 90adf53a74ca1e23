import type { Transcription } from '../schema/transcription.js';
import { columnsOfUnits } from './caption-layout.js';
import { type CaptionOptions, completeCaptionOptions } from './caption-options.js';
import { type CaptionUnit, captionUnits } from './caption-units.js';
import { acrossCutSec, divideUnits, leastSec, lingerSec } from './divide-units.js';

/** A word as it stands in a line, with when it is heard. */
export type CaptionWord = { readonly text: string; readonly startSec: number; readonly endSec: number };

/** A line of a caption. `text` is its words with the spaces between them, in the order in which they are read. */
export type CaptionLine = { readonly text: string; readonly words: readonly CaptionWord[] };

/** Lines that are shown together; `endSec` exclusive. */
export type Caption = {
  readonly startSec: number;
  readonly endSec: number;
  /** Absent where the transcript names nobody. */
  readonly speaker?: string;
  readonly lines: readonly CaptionLine[];
};

/** A caption may come this much after its first word, seconds, when the caption before needs the time to be read. */
const longestLagSec = 0.5;
/** Shorter gaps between captions flicker, seconds. */
const flickerSec = 0.1;

type Timed = { readonly lines: readonly (readonly CaptionUnit[])[]; startSec: number; endSec: number };

/**
 * Makes captions of a transcript: lines that fit, broken where phrases end, without words alone on a line, each caption
 * one speaker's, and long enough on the screen to be read where the pace of the words allows. Text is not changed, nor is
 * the order of its letters: right-to-left scripts are turned by what draws them. Scripts without spaces are broken
 * between words by `Intl.Segmenter`.
 *
 * @throws RangeError for an option out of its range.
 */
export function captions(
  transcription: Pick<Transcription, 'words' | 'language'>,
  options: CaptionOptions = {},
): Caption[] {
  const complete = completeCaptionOptions(options);
  const units = captionUnits(transcription.words, transcription.language, complete.maxCharacters);
  const timed: Timed[] = divideUnits(units, complete).map(({ lines }) => ({
    lines,
    startSec: lines[0]![0]!.startSec,
    endSec: lines.at(-1)!.at(-1)!.endSec,
  }));
  timed.forEach((caption, i) => {
    giveTime(caption, timed[i + 1], timed[i + 2], complete);
  });
  return timed.map(toCaption);
}

/** Lets a caption stay until it can be read, into the pause behind it and, where that one has time to spare, into the next. */
function giveTime(
  caption: Timed,
  next: Timed | undefined,
  afterNext: Timed | undefined,
  { maxCharactersPerSec, maxSec, cutsSec }: Required<CaptionOptions>,
): void {
  const readingSec = ({ lines }: Timed) =>
    Math.max(leastSec, lines.reduce((sum, line) => sum + columnsOfUnits(line), 0) / maxCharactersPerSec);
  const spokenSec = caption.endSec;
  // A cut that the words do not cross is not crossed by their caption either.
  const cutSec = cutsSec.find(at => at - caption.startSec > acrossCutSec) ?? Number.POSITIVE_INFINITY;
  const untilCutSec = spokenSec > cutSec ? cutSec + acrossCutSec : cutSec;
  let nextSec = Number.POSITIVE_INFINITY;
  if (next) {
    const nextUntilSec = Math.min(afterNext?.startSec ?? Number.POSITIVE_INFINITY, next.endSec + lingerSec);
    const spareSec = nextUntilSec - next.startSec - readingSec(next);
    nextSec = next.startSec + Math.min(longestLagSec, Math.max(0, spareSec));
  }
  const wishedSec = Math.min(
    caption.startSec + Math.min(maxSec, readingSec(caption)),
    spokenSec + lingerSec,
    nextSec,
  );
  caption.endSec = Math.min(untilCutSec, Math.max(spokenSec, wishedSec));
  if (!next) return;
  if (caption.endSec > next.startSec) next.startSec = caption.endSec;
  else if (next.startSec - caption.endSec < flickerSec && next.startSec <= untilCutSec)
    caption.endSec = next.startSec;
}

function toCaption({ lines, startSec, endSec }: Timed): Caption {
  const { speaker } = lines[0]![0]!;
  return {
    startSec,
    endSec,
    ...(speaker === undefined ? {} : { speaker }),
    lines: lines.map(units => ({
      text: units.map(({ text, spaced }, i) => (i && spaced ? ` ${text}` : text)).join(''),
      words: units.map(unit => ({ text: unit.text, startSec: unit.startSec, endSec: unit.endSec })),
    })),
  };
}
