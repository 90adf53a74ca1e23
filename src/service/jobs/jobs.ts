import { ReframeError } from '../../schema/error.js';
import { type ModelType, type StepName, transformTypes } from '../../schema/job.js';
import { roomAdvice } from '../storage/housekeeping.js';
import { type Ledger, openHolds } from './credits.js';
import { createHolds } from './holds.js';
import { type Records, toFailure } from './records.js';
import {
  askFor,
  clipName,
  type Failure,
  failSteps,
  failureOf,
  isDone,
  isUnfinished,
  type Job,
  moveSteps,
  nextSteps,
  type Video,
} from './state.js';
import { canAnalyse, runSteps, type StepTools } from './steps.js';

/** What a request asks of a new video. */
export type NewVideo = Pick<Video, 'source' | 'resumable'> &
  Partial<Pick<Video, 'startSec' | 'endSec' | 'notes'>> & { readonly job?: Job };

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
  /** Stops what runs for a video, and takes it away. */
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
  const progress = new Map<string, number>();
  /** Videos that are being deleted: what they hold is about to come back. */
  const leaving = new Set<string>();
  const isAtWork = (id: string) => running.has(id) || leaving.has(id);
  const holds = createHolds({ ledger, advance, isAtWork });
  let queue: Promise<unknown> = Promise.resolve();

  const inTurn = (work: () => Promise<void>) => {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  };
  const further = ({ job }: Video): ModelType[] =>
    job?.diarization && canAnalyse('diarization') ? ['diarization'] : [];
  const stepsOf = (video: Video) =>
    video.waitingFor && video.waitingFor !== 'insufficient_credits'
      ? []
      : nextSteps(video, advance, further(video));

  /** Carries out steps and writes down how they ended. */
  const carryOut = async (id: string, steps: readonly StepName[], signal: AbortSignal) => {
    signal.throwIfAborted();
    const begun = moveSteps(records.videos.get(id)!, steps, { status: 'processing' }, Date.now());
    await records.save(begun);
    progress.set(id, 0);
    const done = await runSteps(begun, steps, tools, {
      signal,
      onProgress: ratio => progress.set(id, ratio),
    });
    signal.throwIfAborted();
    progress.delete(id);
    const lines = steps.includes('ingest') ? await hold(done.video, signal) : settle(done.video, steps);
    if (!lines) return;
    const { waitingFor: _over, ...known } = done.video;
    await records.save(moveSteps(known, steps, { status: 'completed' }, Date.now()), done.changes, lines);
    // What stays because of an error goes with the next start.
    await dropChunks(known, steps).catch(() => undefined);
  };

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
  const settle = (video: Video, steps: readonly StepName[]) => {
    const isEnd = video.job?.kind === 'reframe' && steps.includes('reframe');
    return isEnd ? ledger.charge(video.id, `reframe job ${video.job!.id}`) : [];
  };

  const giveUp = async (id: string, steps: readonly StepName[], error: unknown) => {
    const { waitingFor: _over, ...video } = records.videos.get(id)!;
    const failure = await toldMore(toFailure(error));
    if (failure.code === 'source_permission_needed') {
      const waiting = moveSteps(video, steps, { status: 'pending' }, Date.now());
      return records.save({ ...waiting, waitingFor: failure.code });
    }
    const lines = video.job ? ledger.release(id, `failed: ${failure.code}`) : [];
    await records.save(failSteps(video, steps, failure, Date.now()), tools.saves.drop(id), lines);
    await dropChunks(video, steps);
  };

  /** Removes what renders left to go on with. */
  const dropChunks = async (video: Video, steps: readonly StepName[]) => {
    for (const transform of transformTypes)
      if (steps.includes(transform)) await tools.store.files.removeChunks(clipName(video, transform));
  };

  /** Says of full storage what could be deleted. */
  const toldMore = async (failure: Failure): Promise<Failure> => {
    if (failure.code !== 'quota_exceeded') return failure;
    const advice = roomAdvice(records.videos.values(), await tools.store.files.list());
    return { ...failure, message: `${failure.message} ${advice}`.trim() };
  };

  const drive = async (id: string, signal: AbortSignal): Promise<void> => {
    for (;;) {
      const video = records.videos.get(id);
      const steps = video ? stepsOf(video) : [];
      if (!video || steps.length === 0) break;
      try {
        const work = () => carryOut(id, steps, signal);
        // Opening a source is light, and must not wait for hours of analyses.
        await (steps[0] === 'ingest' ? work() : inTurn(work));
      } catch (error) {
        if (signal.aborted) return;
        await giveUp(id, steps, error);
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
        progress.delete(id);
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
    async start({ notes = [], ...given }) {
      const nowMs = Date.now();
      const video: Video = {
        ...given,
        id: crypto.randomUUID(),
        notes,
        steps: { ingest: { status: 'pending' } },
        latest: 'ingest',
        createdMs: nowMs,
        updatedMs: nowMs,
      };
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
    progressOf: video => progress.get(video.id),
    async resume(video) {
      const { waitingFor: _over, ...known } = records.videos.get(video.id)!;
      const failed = failureOf(known);
      const lines = failed && isDone(known, 'ingest') ? holds.again(known) : [];
      const reopened = failed ? moveSteps(known, [known.latest], { status: 'pending' }, Date.now()) : known;
      await records.save(reopened, [], lines);
      kick(video.id);
    },
    async resumeAll() {
      for (const id of openHolds(ledger.entries).keys()) {
        const video = records.videos.get(id);
        if (!video?.job || !isUnfinished(video)) await records.write(ledger.release(id, 'left over'));
      }
      for (const { waitingFor: _again, ...video } of records.videos.values()) {
        if (!isUnfinished(video)) continue;
        const cut = Object.entries(video.steps).filter(([, { status }]) => status === 'processing');
        const steps = cut.map(([step]) => step as StepName);
        await records.save(moveSteps(video, steps, { status: 'pending' }, Date.now()));
        if (!(video.job && advance === 'poll')) kick(video.id);
      }
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
