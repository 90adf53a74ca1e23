import type { PartName } from './result.js';

/** Version of {@link AnalysisState}; rises when what an analysis keeps, its clock, or how a model that ships answers, changes. */
export const analysisStateVersion = 5;

/**
 * Everything an analysis needs to go on later, in another tab or after a crash. Plain data that survives a structured
 * clone, IndexedDB included; the fields below may be read, `work` is the analysis' own.
 *
 * Its size: up to 8 MB while two faces are on screen (crops, embeddings and thumbnails that wait for their turn), and
 * with each hour of two faces 22 MB more of what was measured. An hour without faces or sound adds 3 MB. A later state
 * holds all that an earlier one of the same analysis does: only the last is worth keeping.
 */
export type AnalysisState = {
  /** {@link analysisStateVersion} at the time of saving. */
  readonly version: number;
  /** Everything before this time has been looked at, in seconds of the source. */
  readonly untilSec: number;
  /** Start of the range, in seconds of the source. */
  readonly startSec: number;
  /** End of the range, in seconds of the source. */
  readonly endSec: number;
  /** Parts that are computed. */
  readonly want: readonly PartName[];
  /** Parts that were there already. */
  readonly have: readonly PartName[];
  /** Ids of the models in use. */
  readonly models: readonly string[];
  /** What the analysis itself goes on from; its form may change with each version. */
  readonly work: unknown;
};
