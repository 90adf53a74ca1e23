/**
 * Keeps one track of a file from running ahead of the other: the muxer holds back what lies too far ahead, in memory.
 */
export type Pace = {
  /** Resolves once the leading track has come within `leadSec` of a time. */
  reach(timeSec: number): Promise<void>;
  /** The leading track has come this far; infinity at its end. */
  advance(timeSec: number): void;
};

/** @param leadSec - How far the following track may be ahead. */
export function createPace(leadSec: number): Pace {
  let nowSec = 0;
  let waiting: { readonly timeSec: number; readonly resolve: () => void }[] = [];
  const due = (timeSec: number) => timeSec <= nowSec + leadSec;
  return {
    reach: timeSec =>
      due(timeSec) ? Promise.resolve() : new Promise(resolve => waiting.push({ timeSec, resolve })),
    advance(timeSec) {
      nowSec = Math.max(nowSec, timeSec);
      for (const w of waiting) if (due(w.timeSec)) w.resolve();
      waiting = waiting.filter(w => !due(w.timeSec));
    },
  };
}
