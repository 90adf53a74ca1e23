import type { ErrorCode } from '../schema/error.js';
import type { ReframeRequest } from '../schema/job.js';
import type { Store } from '../service/storage/store.js';
import type { Decision } from './policy.js';

/** A job as the sync layer knows it. */
export type SyncJob = Decision & {
  /** Id of the job in the outbox. */
  readonly id: string;
  /** Place in the order of asking. */
  readonly turn: number;
  /** What was asked for. */
  readonly request: ReframeRequest;
  /** Length of the source in seconds, where the caller told it. */
  readonly durationSec?: number;
  /**
   * `queued`: asked for here, told nobody yet; `sending`: on its way; `unknown`: sent, and no answer came:
   * the job may run and cost, and is not sent again by itself; `running`; `completed`; `failed`.
   */
  readonly state: 'queued' | 'sending' | 'unknown' | 'running' | 'completed' | 'failed';
  /** The service's own id of the job. */
  readonly jobId?: string;
  /** The service's own id of the video. */
  readonly videoId?: string;
  /** What the job last said it is doing, in the service's words. */
  readonly step?: string;
  /** How far the job last said it is, 0–1. */
  readonly progress?: number;
  /** Where the result came from; present when completed. */
  readonly result_source?: 'local' | 'remote';
  /** Name of the clip among the store's files, for one that came from the remote service. */
  readonly clipFile?: string;
  /** Of a failed or unknown job: an {@link ErrorCode} of this version, or the service's own word. */
  readonly code?: ErrorCode | string;
  /** Of a failed or unknown job: what went wrong, as a sentence. */
  readonly error?: string;
};

/** The jobs, in order and kept over reloads. */
export type Outbox = {
  readonly jobs: ReadonlyMap<string, SyncJob>;
  add(job: Omit<SyncJob, 'id' | 'turn' | 'state'>): Promise<SyncJob>;
  update(id: string, changes: Partial<SyncJob>): Promise<SyncJob>;
};

/** @param onChange - Told after each change was stored. */
export async function openOutbox(
  store: Pick<Store, 'shelf'>,
  onChange: (job: SyncJob) => void,
): Promise<Outbox> {
  const jobs = new Map<string, SyncJob>();
  const shelf = store.shelf<SyncJob>('sync-outbox');
  const rows = await shelf.all();
  for (const job of rows.toSorted((a, b) => a.turn - b.turn)) {
    // The page ended while the request was under way: whether it arrived, nobody here can say.
    jobs.set(job.id, job.state === 'sending' ? { ...job, state: 'unknown' } : job);
  }
  const keep = async (job: SyncJob) => {
    jobs.set(job.id, job);
    await shelf.write([{ key: job.id, value: job }]);
    onChange(job);
    return job;
  };
  return {
    jobs,
    add(job) {
      const turn = Math.max(-1, ...[...jobs.values()].map(({ turn }) => turn)) + 1;
      return keep({ ...job, id: crypto.randomUUID(), turn, state: 'queued' });
    },
    update: (id, changes) => keep({ ...jobs.get(id)!, ...changes }),
  };
}
