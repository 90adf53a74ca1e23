import type { Client } from '../client/client.js';
import { isReframeError } from '../schema/error.js';
import type { ReframeRequest } from '../schema/job.js';
import type { Override } from '../schema/plan.js';
import type { Store } from '../service/storage/store.js';
import { fetchClip } from './fetch-clip.js';
import { type Outbox, openOutbox, type SyncJob } from './outbox.js';
import { createPauses, type PauseOptions } from './pauses.js';
import { choosePlace, type SyncPolicy } from './policy.js';
import type { KeptResult } from './reconcile.js';
import { durationOf, identityOf, openResults, partIn } from './results.js';

export type SyncOptions = {
  /** The service on this device. */
  readonly local: Client;
  /** The remote service. */
  readonly remote: Client;
  /** Keeps the outbox and what comes back. The local service's own, or its results are not set beside remote ones. */
  readonly store: Store;
  readonly policy?: SyncPolicy;
  /** Told of each change of a job. */
  readonly onChange?: (job: SyncJob) => void;
  /** Whether there is a network at all. Default: what the browser says. */
  readonly isOnline?: () => boolean;
  readonly pauses?: PauseOptions;
};

export type SubmitOptions = {
  /**
   * Allows that this job goes to the remote service: its address, times and flags then leave the device. Default no.
   */
  readonly allowRemote?: boolean;
  /** Length of the source in seconds, where it is known. */
  readonly durationSec?: number;
  /** Overrules the policy's `where`. */
  readonly where?: SyncPolicy['where'];
};

/** Runs jobs here or there, and outlives reloads and lost networks. */
export type Sync = {
  submit(request: ReframeRequest, options?: SubmitOptions): Promise<SyncJob>;
  list(): Promise<readonly SyncJob[]>;
  /**
   * What is known of a job's source: of all results of it, local and remote, the newest complete one, with the user's
   * overrides. Undefined as long as nothing is known.
   */
  resultOf(id: string): Promise<KeptResult | undefined>;
  /** Keeps the user's corrections of a job's source, in the place of earlier ones. They outlive every new result. */
  correct(id: string, overrides: readonly Override[]): Promise<void>;
  /** Sends a job again whose fate is unknown, or that failed. The remote service may have charged for it already. */
  retry(id: string): Promise<void>;
  /** Settles when no job can get further without somebody's doing; for tests and shutdowns. */
  idle(): Promise<void>;
  close(): Promise<void>;
};

export function createSync(options: SyncOptions): Sync {
  const { local, remote, store, policy = {}, onChange = () => {} } = options;
  const isOnline = options.isOnline ?? (() => globalThis.navigator?.onLine ?? true);
  const results = openResults(store);
  const closing = new AbortController();
  const { signal } = closing;
  const pauses = createPauses(options.pauses, signal);
  const following = new Map<string, Promise<void>>();
  let pumping: Promise<void> | undefined;

  const outbox = openOutbox(store, onChange).then(opened => {
    for (const job of opened.jobs.values()) if (job.state === 'running') follow(opened, job);
    return opened;
  });
  outbox.then(pump).catch(() => undefined);

  const clientOf = ({ where }: Pick<SyncJob, 'where'>) => (where === 'remote' ? remote : local);

  /** Sends what is queued, in order; local jobs need no network and do not wait for those that do. */
  function pump(box: Outbox): Promise<void> {
    pumping ??= Promise.all([sendAll(box, 'local'), sendAll(box, 'remote')])
      .then(() => undefined)
      .finally(() => (pumping = undefined));
    return pumping;
  }

  async function sendAll(box: Outbox, where: SyncJob['where']): Promise<void> {
    for (let misses = 0; !signal.aborted; ) {
      const next = [...box.jobs.values()].find(job => job.where === where && job.state === 'queued');
      if (!next) return;
      // Asked first, with nothing about the job: a POST whose answer is lost may have cost money.
      const reachable = where === 'local' || (isOnline() && (await answers()));
      if (reachable && (await send(box, next)) !== 'later') misses = 0;
      else await pauses.backOff(misses++);
    }
  }

  async function answers(): Promise<boolean> {
    try {
      await remote.job('reachable', { signal: pauses.limit() });
      return true;
    } catch (error) {
      return isReframeError(error) && error.cause === undefined && error.code !== 'unavailable';
    }
  }

  async function send(box: Outbox, job: SyncJob): Promise<'sent' | 'later'> {
    await box.update(job.id, { state: 'sending' });
    try {
      const { job_id } = await clientOf(job).reframe(job.request, { signal: pauses.limit() });
      follow(box, await box.update(job.id, { state: 'running', jobId: job_id }));
      return 'sent';
    } catch (error) {
      const known = isReframeError(error) ? error : undefined;
      const { code = 'internal', message = String(error) } = known ?? {};
      const isAnswer = known !== undefined && known.cause === undefined;
      if (isAnswer && code === 'unavailable') {
        await box.update(job.id, { state: 'queued' });
        return 'later';
      }
      // A local service does not charge without a record of it; a remote one that broke down may have.
      const isRefused = isAnswer && code !== 'internal' && code !== 'cv_backend_unreachable';
      const state = isRefused || job.where === 'local' ? 'failed' : 'unknown';
      await box.update(job.id, { state, code, error: message });
      return 'sent';
    }
  }

  function follow(box: Outbox, job: SyncJob): void {
    const done = watchOn(box, job)
      .catch(async error => {
        if (signal.aborted) return;
        await box.update(job.id, { state: 'failed', code: codeOf(error), error: (error as Error).message });
      })
      .finally(() => following.delete(job.id));
    following.set(job.id, done);
  }

  /** Watches a job as long as it takes: a service that is away or broken for a while has the job still. */
  async function watchOn(box: Outbox, job: SyncJob): Promise<void> {
    for (let misses = 0; ; misses++) {
      try {
        return await watch(box, job);
      } catch (error) {
        signal.throwIfAborted();
        if (!isPassing(error)) throw error;
        await pauses.backOff(misses);
        signal.throwIfAborted();
      }
    }
  }

  async function watch(box: Outbox, job: SyncJob): Promise<void> {
    const client = clientOf(job);
    for await (const state of client.watch(job.jobId!, { signal, ...pauses.polling })) {
      if (state.status === 'failed') {
        const { code = 'internal', error = 'The job failed.' } = state;
        await box.update(job.id, { state: 'failed', code, error });
      } else if (state.status === 'processing') {
        const { step, progress } = state;
        await box.update(job.id, { step, ...(progress !== undefined && { progress }) });
      } else {
        const videoId = state.video_id;
        const brought = job.where === 'remote' ? await bring(job, videoId) : await note(job, videoId);
        await box.update(job.id, { state: 'completed', videoId, result_source: job.where, ...brought });
      }
    }
  }

  /** Takes over what the remote service made: the clip, and the analysis that its status shows. */
  async function bring(job: SyncJob, videoId: string): Promise<Partial<SyncJob>> {
    const clipFile = `remote-${job.id}.mp4`;
    await fetchClip(remote, videoId, { store, name: clipFile, signal, limit: pauses.limit });
    const { step, result } = await remote
      .status(videoId, { signal: pauses.limit() })
      .catch(() => ({ step: undefined, result: undefined }));
    const parts = partIn(step, result);
    const durationSec = durationOf(parts) ?? job.durationSec;
    const source = { url: job.request.url, ...(durationSec !== undefined && { durationSec }) };
    await results.keep(job.id, { source, resultSource: 'remote', parts, finishedMs: Date.now() });
    return { clipFile };
  }

  /** The local service has the result; what is kept is whose it is. */
  async function note(job: SyncJob, videoId: string): Promise<Partial<SyncJob>> {
    const video = await store.get('videos', videoId);
    const source = video ? identityOf(video) : { url: job.request.url };
    await results.keep(job.id, { source, resultSource: 'local', parts: {}, finishedMs: 0 });
    return {};
  }

  return {
    async submit(request, { allowRemote = false, durationSec, where } = {}) {
      const box = await outbox;
      const rules = where ? { ...policy, where } : policy;
      const decision = await choosePlace(request, rules, { allowRemote, durationSec });
      const known = durationSec !== undefined && { durationSec };
      const job = await box.add({ request, ...known, ...decision });
      void pump(box).then(() => pump(box));
      return job;
    },
    list: async () => [...(await outbox).jobs.values()],
    resultOf: results.of,
    async correct(id, overrides) {
      const job = (await outbox).jobs.get(id);
      if (!job) throw new RangeError(`There is no job ${id}.`);
      const { request, durationSec } = job;
      const source = { url: request.url, ...(durationSec !== undefined && { durationSec }) };
      await results.correct(id, overrides, source);
    },
    async retry(id) {
      const box = await outbox;
      const job = box.jobs.get(id);
      if (!job || (job.state !== 'unknown' && job.state !== 'failed')) return;
      await box.update(id, { state: 'queued' });
      void pump(box).then(() => pump(box));
    },
    async idle() {
      await pump(await outbox);
      await Promise.all(following.values());
    },
    async close() {
      closing.abort();
      await Promise.allSettled([pumping, ...following.values()]);
    },
  };
}

/** Whether a service that answers so may answer otherwise later: it is away, overloaded, broken, or somebody else's. */
const isPassing = (error: unknown): boolean =>
  isReframeError(error) && ['unavailable', 'internal', 'cv_backend_unreachable'].includes(error.code);

const codeOf = (error: unknown) => {
  if (isReframeError(error)) return error.code;
  return error instanceof DOMException && error.name === 'QuotaExceededError' ? 'quota_exceeded' : 'internal';
};
