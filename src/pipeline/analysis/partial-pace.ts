/** When a partial result is worth its price. */
export type PartialPace = {
  /** Least time between two, milliseconds. Somebody watches them: more than one a second tells nothing new. */
  readonly intervalMs: number;
  /** Most of the analysis' time that goes into them, 0–1: they grow with the source, and so do the pauses between. */
  readonly shareRatio: number;
};

export const defaultPartialPace: PartialPace = { intervalMs: 1000, shareRatio: 0.05 };

/**
 * Lets work through at a bearable pace: the first piece at once, then after the interval or as long as the
 * share asks.
 *
 * @param make - The work that counts.
 * @param give - Takes what was made. A caller who lets `give` wait pauses the analysis; that time is not the
 *   analysis' own.
 * @param nowMs - A clock in milliseconds.
 */
export function createPartialPacer<Made>(
  { make, give }: { readonly make: () => Promise<Made>; readonly give: (made: Made) => Promise<void> },
  { intervalMs, shareRatio }: PartialPace = defaultPartialPace,
  nowMs: () => number = () => performance.now(),
): () => Promise<void> {
  let dueMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const startMs = nowMs();
    if (startMs < dueMs) return;
    const made = await make();
    const endMs = nowMs();
    await give(made);
    dueMs = Math.max(startMs + intervalMs, endMs + (endMs - startMs) / shareRatio);
  };
}
