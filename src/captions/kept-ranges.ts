import type { TimeRange } from '../schema/time.js';

/** What is left of 0–`totalSec` without the given ranges, which may overlap and come in any order. */
export function keptRanges(removed: readonly TimeRange[], totalSec: number): TimeRange[] {
  const kept: TimeRange[] = [];
  let fromSec = 0;
  for (const { startSec, endSec } of [...removed].sort((a, b) => a.startSec - b.startSec)) {
    const untilSec = Math.min(startSec, totalSec);
    if (untilSec > fromSec) kept.push({ startSec: fromSec, endSec: untilSec });
    fromSec = Math.max(fromSec, endSec);
  }
  if (fromSec < totalSec) kept.push({ startSec: fromSec, endSec: totalSec });
  return kept;
}
