/** Times of the frames before and after, seconds; absent at the ends of what is read. */
export type Neighbours = {
  readonly beforeSec?: number | undefined;
  readonly nextSec?: number | undefined;
};

/** Whether a frame is the nearest to a tick of a clock: pixels of other frames are never asked for. */
export function isNearTick(
  timeSec: number,
  { beforeSec, nextSec }: Neighbours,
  { rateHz, originSec }: { readonly rateHz: number; readonly originSec: number },
): boolean {
  if (beforeSec === undefined || nextSec === undefined) return true;
  const from = ((beforeSec + timeSec) / 2 - originSec) * rateHz;
  const to = ((timeSec + nextSec) / 2 - originSec) * rateHz;
  return Math.floor(to + 1e-6) >= Math.ceil(from - 1e-6);
}
