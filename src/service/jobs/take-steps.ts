import type { StepName } from '../../schema/job.js';
import type { Ledger, LedgerEntry } from './credits.js';
import type { Finish } from './finish.js';
import type { Holds } from './holds.js';
import type { Records } from './records.js';
import { moveSteps, type Video } from './state.js';
import { runSteps, type StepTools } from './steps.js';

export type StepTaker = {
  /** Carries out steps of a video that go together, and writes down what came of them. Rejects where one fails. */
  take(videoId: string, steps: readonly StepName[], signal: AbortSignal): Promise<void>;
  /** Progress of the step that runs for a video, 0–1. */
  progressOf(videoId: string): number | undefined;
  /** The progress of a video that rests is forgotten. */
  rest(videoId: string): void;
};

export type StepTakerTools = {
  readonly records: Records;
  readonly ledger: Ledger;
  readonly tools: StepTools;
  readonly holds: Holds;
  readonly finish: Pick<Finish, 'dropChunks'>;
  readonly advance: 'auto' | 'poll';
};

export function createStepTaker(given: StepTakerTools): StepTaker {
  const { records, ledger, tools, holds, finish, advance } = given;
  const progress = new Map<string, number>();

  /** Sets aside what a job costs, before anything heavy is done; undefined when it must be asked for again. */
  const hold = (video: Video, signal: AbortSignal) => {
    // A polled job's poll ends here; one that runs by itself stays in the middle of its step.
    const status = advance === 'poll' ? 'pending' : 'processing';
    const waiting = moveSteps(video, ['ingest'], { status }, Date.now());
    const isNew = records.videos.get(video.id)!.waitingFor === undefined;
    return holds.take(video, signal, async () => {
      if (isNew || advance === 'poll') await records.save({ ...waiting, waitingFor: 'insufficient_credits' });
    });
  };
  const settle = (video: Video, steps: readonly StepName[]): readonly LedgerEntry[] => {
    const isEnd = video.job?.kind === 'reframe' && steps.includes('reframe');
    return isEnd ? ledger.charge(video.id, `reframe job ${video.job!.id}`) : [];
  };

  return {
    async take(videoId, steps, signal) {
      signal.throwIfAborted();
      const begun = moveSteps(records.videos.get(videoId)!, steps, { status: 'processing' }, Date.now());
      await records.save(begun);
      progress.set(videoId, 0);
      const done = await runSteps(begun, steps, tools, {
        signal,
        onProgress: ratio => progress.set(videoId, ratio),
      });
      signal.throwIfAborted();
      progress.delete(videoId);
      const lines = steps.includes('ingest') ? await hold(done.video, signal) : settle(done.video, steps);
      if (!lines) return;
      const { waitingFor: _over, ...known } = done.video;
      await records.save(moveSteps(known, steps, { status: 'completed' }, Date.now()), done.changes, lines);
      // What stays because of an error goes with the next start.
      await finish.dropChunks(known, steps).catch(() => undefined);
    },
    progressOf: videoId => progress.get(videoId),
    rest: videoId => void progress.delete(videoId),
  };
}
