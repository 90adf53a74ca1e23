/** A line of the ledger. Lines are only ever added, so that a person can read what happened to each credit. */
export type LedgerEntry = {
  /** Place in the ledger, from 0. */
  readonly line: number;
  /** When, as ISO 8601. */
  readonly at: string;
  /** `hold` sets credits aside, `charge` spends what was held, `release` gives back what was held. */
  readonly kind: 'hold' | 'charge' | 'release';
  /** How many credits the line is about. */
  readonly credits: number;
  /** Id of the video that the credits are for. */
  readonly video_id: string;
  /** What for, as a sentence. */
  readonly reason: string;
};

/** One credit per second of source video, rounded down. */
export const priceOf = (durationSec: number): number => Math.floor(durationSec);

/** Credits held for each video and neither charged nor released. */
export function openHolds(entries: readonly LedgerEntry[]): Map<string, number> {
  const holds = new Map<string, number>();
  for (const { kind, credits, video_id } of entries) {
    if (kind === 'hold') holds.set(video_id, credits);
    else holds.delete(video_id);
  }
  return holds;
}

/** What is spent or set aside. */
export function spentCredits(entries: readonly LedgerEntry[]): number {
  const charged = entries.reduce((sum, { kind, credits }) => sum + (kind === 'charge' ? credits : 0), 0);
  return charged + [...openHolds(entries).values()].reduce((sum, credits) => sum + credits, 0);
}

/** Keeps the accounts. Each call takes effect at once; the line it returns has still to be stored. */
export type Ledger = {
  readonly entries: readonly LedgerEntry[];
  /** What may still be spent; `Infinity` without a limit. */
  readonly available: number;
  isCharged(videoId: string): boolean;
  /** Sets credits aside for a video; undefined when there are too few. A video holds once: again changes nothing. */
  hold(videoId: string, credits: number, reason: string): LedgerEntry[] | undefined;
  /** Spends what is held for a video, at most once per video. */
  charge(videoId: string, reason: string): LedgerEntry[];
  /** Gives back what is held for a video, if anything is. */
  release(videoId: string, reason: string): LedgerEntry[];
  /** Takes back lines that could not be stored. */
  undo(lines: readonly LedgerEntry[]): void;
};

/**
 * @param stored - The lines so far, in order.
 * @param limit - Credits that may be spent in all, over the life of the store.
 */
export function createLedger(
  stored: readonly LedgerEntry[],
  limit = Number.POSITIVE_INFINITY,
  now: () => number = Date.now,
): Ledger {
  const entries = [...stored];
  let charged: Set<string>;
  let holds: Map<string, number>;
  let spent: number;
  const count = () => {
    charged = new Set(entries.filter(({ kind }) => kind === 'charge').map(entry => entry.video_id));
    holds = openHolds(entries);
    spent = spentCredits(entries);
  };
  count();
  const add = (kind: LedgerEntry['kind'], credits: number, video_id: string, reason: string) => {
    const line = (entries.at(-1)?.line ?? -1) + 1;
    const entry = { line, at: new Date(now()).toISOString(), kind, credits, video_id, reason };
    entries.push(entry);
    return [entry];
  };
  return {
    entries,
    get available() {
      return limit - spent;
    },
    isCharged: videoId => charged.has(videoId),
    hold(videoId, credits, reason) {
      if (charged.has(videoId) || holds.has(videoId)) return [];
      if (credits > limit - spent) return undefined;
      holds.set(videoId, credits);
      spent += credits;
      return add('hold', credits, videoId, reason);
    },
    charge(videoId, reason) {
      const credits = holds.get(videoId);
      if (credits === undefined) return [];
      holds.delete(videoId);
      charged.add(videoId);
      return add('charge', credits, videoId, reason);
    },
    release(videoId, reason) {
      const credits = holds.get(videoId);
      if (credits === undefined) return [];
      holds.delete(videoId);
      spent -= credits;
      return add('release', credits, videoId, reason);
    },
    undo(lines) {
      for (const line of lines) entries.splice(entries.indexOf(line), 1);
      if (lines.length > 0) count();
    },
  };
}
