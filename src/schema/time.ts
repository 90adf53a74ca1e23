/**
 * Where a frame stands. `frameNumber` is its rank in presentation order among the frames inside the edit
 * list, from 0, counted from the file's start also for a range; `timeSec` its presentation time in seconds.
 */
export type FrameTime = { readonly frameNumber: number; readonly timeSec: number };

/** What every analysis part says about the source's clock: average frame rate and the source's frame count. */
export type SourceClock = { readonly frameRateHz: number; readonly totalFrames: number };

/** A stretch of time in seconds, `endSec` exclusive. */
export type TimeRange = { readonly startSec: number; readonly endSec: number };
