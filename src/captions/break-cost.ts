import { endsSentence } from '../core/sentences.js';
import type { CaptionUnit } from './caption-units.js';

/** A pause from which on a break sounds as well as a comma looks, seconds. */
const phrasePauseSec = 0.25;
const clauseEnd = /[,;:—–،؛、，；：]["'”’»)\]」』）]*$/u;
const bare = /[^\p{L}\p{N}'’]/gu;
/** Words that begin a phrase: a break stands well before them. The list of subtitling guides: conjunctions, then prepositions. */
const beginners = new Set(
  (
    'and but or nor so yet because although though while when where which who that if unless until since than ' +
    'with without from into over under about after before between through during against for in on at by to of as'
  ).split(' '),
);
/** Words that belong to what follows: a break stands badly behind them. */
const leaders = new Set(
  (
    `a an the this that these those my your his her its our their and but or to of in on at by for with from ` +
    `i you he she it we they is are was were be been am has have had do does did will would can could should may might ` +
    `must not very i'm you're he's she's it's we're they're i've we've mr mrs ms dr`
  ).split(' '),
);

const word = (unit: CaptionUnit) => unit.text.toLowerCase().replace(bare, '').replace('’', "'");

/**
 * How badly a break between two neighbours reads, 0–10: 0 at the end of a sentence, 1 at a comma, more inside of a phrase,
 * most behind an article. Languages other than English are judged by marks and pauses alone.
 */
export function breakCost(before: CaptionUnit, after: CaptionUnit): number {
  if (endsSentence(before.text)) return 0;
  if (clauseEnd.test(before.text)) return 1;
  const pauses = after.startSec - before.endSec >= phrasePauseSec;
  if (leaders.has(word(before))) return pauses ? 6 : 10;
  if (pauses) return 1.5;
  return beginners.has(word(after)) ? 2.5 : 5;
}
