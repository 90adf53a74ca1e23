import type { CaptionStyle } from '../../schema/caption-style.js';
import type { TypesetWord } from './typeset-caption.js';

/** What of a caption is to be seen at a moment. Two equal states look the same. */
export type CaptionState = {
  /** How many words are shown, from the first on. */
  readonly shown: number;
  /** The word that is heard, or was last; -1 before the first, and where a style does not tell. */
  readonly heard: number;
  /** Size of that word against the others. */
  readonly swell: number;
};

/** Players and JSON round times: a word is taken to begin this much earlier, seconds. */
const graceSec = 1e-3;
/** A word that pops is this much larger at first, and gets smaller in steps of so many seconds. */
const swells = [1.16, 1.12, 1.08, 1.04, 1];
const swellStepSec = 0.04;

export function captionStateAt(
  words: readonly Pick<TypesetWord, 'startSec'>[],
  timeSec: number,
  look: CaptionStyle['look'],
): CaptionState {
  if (look === 'plain' || look === 'box') return { shown: words.length, heard: -1, swell: 1 };
  const heard = words.findLastIndex(({ startSec }) => startSec <= timeSec + graceSec);
  if (look === 'karaoke') return { shown: words.length, heard, swell: 1 };
  const ageSec = heard < 0 ? 0 : timeSec + graceSec - words[heard]!.startSec;
  const step = Math.min(swells.length - 1, Math.floor(ageSec / swellStepSec));
  return { shown: heard + 1, heard, swell: swells[step]! };
}
