import type { Client } from '../client/client.js';
import type { ReframeRequest } from '../schema/job.js';
import type { Override } from '../schema/plan.js';
import type { Store } from '../service/storage/store.js';
import { followJob } from './follow-job.js';
import { type Outbox, openOutbox, type SyncJob } from './outbox.js';
import { createPauses, type PauseOptions } from './pauses.js';
import { choosePlace, type SyncPolicy } from './policy.js';
import type { KeptResult } from './reconcile.js';
import { openResults } from './results.js';
import { sendJobs } from './send-jobs.js';

/** What the sync layer works with. */
export type SyncOptions = {
  /** The service on this device. */
  readonly local: Client;
  /** The remote service. */
  readonly remote: Client;
  /** Keeps the outbox and what comes back. The local service's own, or its results are not set beside remote ones. */
  readonly store: Store;
  /** What decides where jobs run. Default: `auto` without a benchmark, which is this device. */
  readonly policy?: SyncPolicy;
  /** Told of each change of a job. */
  readonly onChange?: (job: SyncJob) => void;
  /** Whether there is a network at all. Default: what the browser says. */
  readonly isOnline?: () => boolean;
  /** How long to wait between attempts. */
  readonly pauses?: PauseOptions;
};

/** How one job is sent. */
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
  /** Adds a job, decides where it runs, and sends it as soon as that place can be reached. */
  submit(request: ReframeRequest, options?: SubmitOptions): Promise<SyncJob>;
  /** All jobs, in the order of asking. */
  list(): Promise<readonly SyncJob[]>;
  /**
   * What is known of a job's source: of all results of that source, local and remote, the newest complete
   * one, with the user's overrides. Undefined as long as nothing is known.
   */
  resultOf(id: string): Promise<KeptResult | undefined>;
  /**
   * Keeps the user's corrections of a job's source, in the place of earlier corrections. These outlive every
   * new result. A `RangeError` where there is no such job.
   */
  correct(id: string, overrides: readonly Override[]): Promise<void>;
  /** Sends a job again whose fate is unknown, or that failed. The remote service may have charged for it already. */
  retry(id: string): Promise<void>;
  /** Settles when no job can get further without somebody's doing; for tests and shutdowns. */
  idle(): Promise<void>;
  /** Stops sending and polling; queued and running jobs go on when a sync opens the same store. */
  close(): Promise<void>;
};

/** Starts the sync layer. Jobs of the store that were not finished go on. */
export function createSync(options: SyncOptions): Sync {
  const { local, remote, store, policy = {}, onChange = () => {} } = options;
  const isOnline = options.isOnline ?? (() => globalThis.navigator?.onLine ?? true);
  const results = openResults(store);
  const closing = new AbortController();
  const { signal } = closing;
  const pauses = createPauses(options.pauses, signal);
  const following = new Map<string, Promise<void>>();
  let pumping: Promise<void> | undefined;

  /** Sends what is queued; whoever asks meanwhile waits for the same. */
  const pump = (box: Outbox): Promise<void> => {
    const onRunning = (job: SyncJob) => follow(box, job);
    pumping ??= sendJobs(box, { local, remote, isOnline, pauses, signal, onRunning }).finally(
      () => (pumping = undefined),
    );
    return pumping;
  };

  function follow(box: Outbox, job: SyncJob): void {
    const tools = { local, remote, store, results, pauses, signal };
    const done = followJob(box, job, tools).finally(() => following.delete(job.id));
    following.set(job.id, done);
  }

  const outbox = openOutbox(store, onChange).then(opened => {
    for (const job of opened.jobs.values()) if (job.state === 'running') follow(opened, job);
    return opened;
  });
  outbox.then(pump).catch(() => undefined);

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
