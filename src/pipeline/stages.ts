import type { OnProgress, Stage } from '../schema/progress.js';

/** Share of a whole job's time by stage, seen on a 2-core machine without a GPU; only the bar's evenness depends on it. */
const weights: Readonly<Record<Stage, number>> = {
  models: 2,
  probe: 1,
  analyse: 70,
  plan: 0,
  render: 26,
  audio: 1,
};

/** Reports how far a call is, over the stages that it has. */
export type ProgressMeter = {
  /** The call begins this far: an earlier call did what lies before, in time that tells nothing of the present call. */
  begin(stage: Stage, ratio: number, processedSec: number): void;
  /** @param ratio - 0–1 of this stage; @param processedSec - seconds of media done in it. */
  report(stage: Stage, ratio: number, processedSec?: number): void;
  /** The call succeeded: reports 1. */
  done(processedSec: number): void;
};

/**
 * Turns the progress of single stages into one that never falls and reaches 1 only at the end.
 *
 * @param stages - The stages this call has, in order.
 */
export function createProgressMeter(
  stages: readonly Stage[],
  onProgress: OnProgress | undefined,
): ProgressMeter {
  const total = stages.reduce((sum, stage) => sum + weights[stage], 0);
  const startMs = performance.now();
  let highest = 0;
  let begun = 0;
  const send = (stage: Stage, doneRatio: number, processedSec: number) => {
    highest = Math.max(highest, doneRatio);
    const spentSec = (performance.now() - startMs) / 1000;
    const own = highest - begun;
    // Below a few per cent the estimate is noise.
    const eta = own > 0.03 ? { etaSec: (spentSec * (1 - highest)) / own } : {};
    onProgress?.({ stage, doneRatio: highest, processedSec, ...eta });
  };
  const report = (stage: Stage, ratio: number, processedSec = 0) => {
    const before = stages.slice(0, stages.indexOf(stage)).reduce((sum, name) => sum + weights[name], 0);
    send(
      stage,
      Math.min(0.999, (before + weights[stage] * Math.min(1, Math.max(0, ratio))) / total),
      processedSec,
    );
  };
  return {
    report,
    begin(stage, ratio, processedSec) {
      report(stage, ratio, processedSec);
      begun = highest;
    },
    done: processedSec => send(stages.at(-1)!, 1, processedSec),
  };
}

/** Maps the progress of one call onto a part of a longer one, e.g. an analysis inside a whole job. */
export function partOf(stages: readonly Stage[], meter: ProgressMeter): OnProgress {
  const total = stages.reduce((sum, stage) => sum + weights[stage], 0);
  return ({ doneRatio, processedSec }) => {
    let rest = doneRatio * total;
    for (const stage of stages) {
      if (rest <= weights[stage] || stage === stages.at(-1)) {
        meter.report(stage, weights[stage] ? rest / weights[stage] : 1, processedSec);
        return;
      }
      rest -= weights[stage];
    }
  };
}
