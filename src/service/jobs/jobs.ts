import { ReframeError } from '../../schema/error.js';
import type { StepName } from '../../schema/job.js';
import type { Ledger } from './credits.js';
import { createFinish } from './finish.js';
import { createHolds } from './holds.js';
import type { Records } from './records.js';
import { askFor, failureOf, isDone, moveSteps, nextSteps, type Video } from './state.js';
import type { StepTools } from './steps.js';
import { createStepTaker } from './take-steps.js';
import { type NewVideo, takeUp, toVideo } from './take-up.js';

/** Runs the steps of videos: those of one video in order, heavy ones one at a time over all videos. */
export type Jobs = {
  start(video: NewVideo): Promise<Video>;
  /** @throws ReframeError `conflict` when the step before is not completed. */
  ask(video: Video, step: StepName): Promise<Video>;
  /** A polled job takes its next step, if none runs. */
  poll(video: Video): void;
  /** Progress of the step that runs, 0–1. */
  progressOf(video: Video): number | undefined;
  /** Goes on with a video that waits or failed. */
  resume(video: Video): Promise<void>;
  /** Takes up everything unfinished; for the start. */
  resumeAll(): Promise<void>;
  /** Stops what runs for a video, and removes the video. */
  remove(videoId: string): Promise<void>;
  close(): Promise<void>;
};

export type JobsOptions = {
  readonly records: Records;
  readonly ledger: Ledger;
  readonly tools: StepTools;
  readonly advance: 'auto' | 'poll';
  /** Called when a video has nothing left to do. */
  readonly onSettled?: () => Promise<void>;
};

export function createJobs({ records, ledger, tools, advance, onSettled }: JobsOptions): Jobs {
  const running = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();
  /** Videos that are being deleted: what they hold is about to come back. */
  const leaving = new Set<string>();
  const isAtWork = (id: string) => running.has(id) || leaving.has(id);
  const holds = createHolds({ ledger, advance, isAtWork });
  const finish = createFinish({ records, ledger, tools });
  const taker = createStepTaker({ records, ledger, tools, holds, finish, advance });
  let queue: Promise<unknown> = Promise.resolve();

  const inTurn = (work: () => Promise<void>) => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const stepsOf = (video: Video) =>
    video.waitingFor && video.waitingFor !== 'insufficient_credits' ? [] : nextSteps(video, advance);

  const drive = async (id: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const video = records.videos.get(id);
      const steps = video ? stepsOf(video) : [];
      if (!video || steps.length === 0) break;
      try {
        const work = () => taker.take(id, steps, signal);
        // Opening a source is light, and must not wait for hours of analyses.
        await (steps[0] === 'ingest' ? work() : inTurn(work));
      } catch (error) {
        if (signal.aborted) return;
        await finish.giveUp(id, steps, error);
      }
      if (video.job && advance === 'poll') break;
    }
    await onSettled?.();
  };

  const kick = (id: string): void => {
    if (running.has(id)) return;
    const controller = new AbortController();
    const done = drive(id, controller.signal)
      // Only a store that no longer takes anything gets here; the record in memory stays as it was.
      .then(
        () => true,
        () => false,
      )
      .then(sound => {
        running.delete(id);
        taker.rest(id);
        holds.wake();
        // A step that was asked for in the very moment in which the last one ended.
        const video = records.videos.get(id);
        const polled = video?.job && advance === 'poll';
        if (sound && video && !polled && !controller.signal.aborted && stepsOf(video).length > 0) kick(id);
      });
    running.set(id, { controller, done });
  };

  const stop = async (id: string): Promise<void> => {
    const run = running.get(id);
    run?.controller.abort(new ReframeError('unavailable', 'The video was deleted or the service closed.'));
    await run?.done;
  };

  return {
    async start(given) {
      const video = toVideo(given, Date.now());
      await records.save(video);
      kick(video.id);
      return video;
    },
    async ask(video, step) {
      const asked = askFor(records.videos.get(video.id) ?? video, step, Date.now());
      if (asked !== video) await records.save(asked);
      kick(video.id);
      return asked;
    },
    poll(video) {
      if (advance !== 'poll' || !video.job || failureOf(video)) return;
      holds.polled(video.id);
      kick(video.id);
    },
    progressOf: video => taker.progressOf(video.id),
    async resume(video) {
      const { waitingFor: _over, ...known } = records.videos.get(video.id)!;
      const failed = failureOf(known);
      const lines = failed && isDone(known, 'ingest') ? holds.again(known) : [];
      const reopened = failed ? moveSteps(known, [known.latest], { status: 'pending' }, Date.now()) : known;
      await records.save(reopened, [], lines);
      kick(video.id);
    },
    async resumeAll() {
      for (const video of await takeUp(records, ledger))
        if (!(video.job && advance === 'poll')) kick(video.id);
    },
    async remove(videoId) {
      leaving.add(videoId);
      try {
        await stop(videoId);
        const video = records.videos.get(videoId);
        if (video) await records.remove(video, tools.saves.drop(videoId));
      } finally {
        leaving.delete(videoId);
        holds.wake();
      }
    },
    async close() {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}
