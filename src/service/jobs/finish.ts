import type { StepName } from '../../schema/job.js';
import { transformTypes } from '../../schema/job.js';
import { roomAdvice } from '../storage/housekeeping.js';
import type { Ledger } from './credits.js';
import { type Records, toFailure } from './records.js';
import { clipName, type Failure, failSteps, moveSteps, type Video } from './state.js';
import type { StepTools } from './steps.js';

/** What is left to do when steps ended. */
export type Finish = {
  /** Writes down that steps failed, gives back what their job holds, and removes what they kept to go on with. */
  giveUp(videoId: string, steps: readonly StepName[], error: unknown): Promise<void>;
  /** Removes what renders among these steps left to go on with. */
  dropChunks(video: Video, steps: readonly StepName[]): Promise<void>;
};

export function createFinish({
  records,
  ledger,
  tools,
}: {
  readonly records: Records;
  readonly ledger: Ledger;
  readonly tools: Pick<StepTools, 'saves' | 'store'>;
}): Finish {
  const { saves, store } = tools;

  /** Says of full storage what could be deleted. */
  const toldMore = async (failure: Failure): Promise<Failure> => {
    if (failure.code !== 'quota_exceeded') return failure;
    const advice = roomAdvice(records.videos.values(), await store.files.list());
    return { ...failure, message: `${failure.message} ${advice}`.trim() };
  };

  const dropChunks = async (video: Video, steps: readonly StepName[]) => {
    for (const transform of transformTypes)
      if (steps.includes(transform)) await store.files.removeChunks(clipName(video, transform));
  };

  return {
    dropChunks,
    async giveUp(videoId, steps, error) {
      const { waitingFor: _over, ...video } = records.videos.get(videoId)!;
      const failure = await toldMore(toFailure(error));
      if (failure.code === 'source_permission_needed') {
        const waiting = moveSteps(video, steps, { status: 'pending' }, Date.now());
        return records.save({ ...waiting, waitingFor: failure.code });
      }
      const lines = video.job ? ledger.release(videoId, `failed: ${failure.code}`) : [];
      await records.save(failSteps(video, steps, failure, Date.now()), saves.drop(videoId), lines);
      await dropChunks(video, steps);
    },
  };
}
