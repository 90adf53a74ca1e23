import { breakCost } from './break-cost.js';
import type { CaptionUnit } from './caption-units.js';

/** What a word alone on its line costs: more than any break. */
const orphanCost = 15;
/** What lines of different lengths cost, for a difference of a whole line. */
const unevenCost = 3;

/** Units in lines, and how badly that reads. */
export type CaptionLayout = { readonly lines: readonly (readonly CaptionUnit[])[]; readonly cost: number };

/** Characters of units side by side, spaces included. */
export const columnsOfUnits = (units: readonly CaptionUnit[]): number =>
  units.reduce((sum, { columns, spaced }, i) => sum + columns + (i && spaced ? 1 : 0), 0);

/** The best way to set units in lines of at most `maxColumns`; undefined where they do not fit. */
export function layOut(
  units: readonly CaptionUnit[],
  maxColumns: number,
  maxLines: number,
): CaptionLayout | undefined {
  const whole = columnsOfUnits(units);
  if (whole <= maxColumns) return { lines: [units], cost: 0 };
  if (maxLines === 1) return undefined;
  let best: CaptionLayout | undefined;
  let first = 0;
  for (let at = 1; at < units.length; at++) {
    first += units[at - 1]!.columns + (at > 1 && units[at - 1]!.spaced ? 1 : 0);
    if (first > maxColumns) break;
    const rest = layOut(units.slice(at), maxColumns, maxLines - 1);
    if (!rest) continue;
    const second = columnsOfUnits(rest.lines[0]!);
    const orphans = (at === 1 ? 1 : 0) + (units.length - at === 1 ? 1 : 0);
    const cost =
      rest.cost +
      breakCost(units[at - 1]!, units[at]!) +
      orphanCost * orphans +
      (unevenCost * Math.abs(first - second)) / maxColumns;
    if (!best || cost < best.cost) best = { lines: [units.slice(0, at), ...rest.lines], cost };
  }
  return best;
}
