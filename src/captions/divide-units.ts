import { endsSentence } from '../core/sentences.js';
import { breakCost } from './break-cost.js';
import { type CaptionLayout, columnsOfUnits, layOut } from './caption-layout.js';
import type { CaptionOptions } from './caption-options.js';
import type { CaptionUnit } from './caption-units.js';

/** Nothing is said for this long, seconds: what is shown goes, and what comes next is another caption. */
const longPauseSec = 1;
/** How far a caption may reach across a cut, seconds. */
export const acrossCutSec = 0.3;
/** How long a caption may stay after its last word, seconds. */
export const lingerSec = 1.5;
/** Shorter captions flash, seconds. */
export const leastSec = 0.8;

// What a division costs. Chosen by reading captions of the development clips; the order of magnitudes is what matters.
const perCaption = 3;
const perBreak = 1.5;
const perOrphan = 15;
const perInnerSentence = 4;
const perMissingSec = 10;
/** For the square of the characters a second that are too many. */
const perHaste = 0.15;
const perLineBreak = 0.7;

/** Divides units into captions, by dynamic programming over all places where one may end. */
export function divideUnits(
  units: readonly CaptionUnit[],
  options: Required<CaptionOptions>,
): CaptionLayout[] {
  const best: { cost: number; from: number; layout?: CaptionLayout }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= units.length; to++) {
    best[to] = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    for (let from = to - 1; from >= 0; from--) {
      const part = units.slice(from, to);
      if (part.length > 1 && !goTogether(part, options)) break;
      const layout = layOut(part, options.maxCharacters, options.maxLines);
      // Fewer words may fit in other lines, but what exceeds all lines together never fits again.
      if (!layout && columnsOfUnits(part) > options.maxCharacters * options.maxLines) break;
      if (!layout) continue;
      const cost = best[from]!.cost + costOf(part, layout, units[from - 1], units[to], options);
      if (cost < best[to]!.cost) best[to] = { cost, from, layout };
    }
  }
  const divided: CaptionLayout[] = [];
  for (let to = units.length; to > 0; to = best[to]!.from) divided.unshift(best[to]!.layout!);
  return divided;
}

/** Whether the first unit of a part may be shown together with the others, which already go together. */
function goTogether(part: readonly CaptionUnit[], { maxSec, cutsSec }: Required<CaptionOptions>): boolean {
  const [first, second] = part as [CaptionUnit, CaptionUnit];
  const { startSec } = first;
  const { endSec } = part.at(-1)!;
  return (
    first.speaker === second.speaker &&
    second.startSec - first.endSec < longPauseSec &&
    endSec - startSec <= maxSec &&
    !cutsSec.some(cutSec => cutSec - startSec > acrossCutSec && endSec - cutSec > acrossCutSec)
  );
}

const isApart = (before: CaptionUnit | undefined, after: CaptionUnit | undefined): boolean =>
  !before ||
  !after ||
  before.speaker !== after.speaker ||
  after.startSec - before.endSec >= longPauseSec ||
  endsSentence(before.text);

function costOf(
  part: readonly CaptionUnit[],
  layout: CaptionLayout,
  before: CaptionUnit | undefined,
  after: CaptionUnit | undefined,
  { maxCharactersPerSec }: Required<CaptionOptions>,
): number {
  const first = part[0]!;
  const last = part.at(-1)!;
  const untilSec = Math.min(after?.startSec ?? Number.POSITIVE_INFINITY, last.endSec + lingerSec);
  const shownSec = Math.max(0.1, untilSec - first.startSec);
  const haste = Math.max(0, columnsOfUnits(part) / shownSec - maxCharactersPerSec);
  const isOrphan = part.length === 1 && !(isApart(before, first) && isApart(last, after));
  const innerSentences = part.slice(0, -1).filter(({ text }) => endsSentence(text)).length;
  return (
    perCaption +
    (isApart(last, after) ? 0 : perBreak * breakCost(last, after!)) +
    perLineBreak * layout.cost +
    (isOrphan ? perOrphan : 0) +
    perInnerSentence * innerSentences +
    perMissingSec * Math.max(0, leastSec - shownSec) +
    perHaste * haste ** 2
  );
}
