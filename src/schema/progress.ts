/** The stages of a job, in the order in which a job passes them. */
export type Stage = 'models' | 'probe' | 'analyse' | 'plan' | 'render' | 'audio';

/**
 * How far a job is. `doneRatio` is 0–1 over the whole call, never falls, and is 1 only on success.
 * `processedSec` counts seconds of media in the current stage; `etaSec` is absent until it can be estimated.
 */
export type Progress = {
  readonly stage: Stage;
  readonly doneRatio: number;
  readonly processedSec: number;
  readonly etaSec?: number;
};

/** Receives progress, at most ten times a second. */
export type OnProgress = (progress: Progress) => void;
