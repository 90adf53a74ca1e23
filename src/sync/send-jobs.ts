import type { Client } from '../client/client.js';
import { isReframeError } from '../schema/error.js';
import type { Outbox, SyncJob } from './outbox.js';
import type { Pauses } from './pauses.js';

export type SendTools = {
  readonly local: Client;
  readonly remote: Client;
  readonly isOnline: () => boolean;
  readonly pauses: Pauses;
  readonly signal: AbortSignal;
  /** Told of each job that runs now. */
  readonly onRunning: (job: SyncJob) => void;
};

/** Sends what is queued, in order; local jobs need no network and do not wait for those that do. */
export async function sendJobs(box: Outbox, tools: SendTools): Promise<void> {
  await Promise.all([sendAll(box, 'local', tools), sendAll(box, 'remote', tools)]);
}

async function sendAll(box: Outbox, where: SyncJob['where'], tools: SendTools): Promise<void> {
  const { isOnline, pauses, signal } = tools;
  for (let misses = 0; !signal.aborted; ) {
    const next = [...box.jobs.values()].find(job => job.where === where && job.state === 'queued');
    if (!next) return;
    // Asked first, with nothing about the job: a POST whose answer is lost may have cost money.
    const reachable = where === 'local' || (isOnline() && (await answers(tools)));
    if (reachable && (await send(box, next, tools)) !== 'later') misses = 0;
    else await pauses.backOff(misses++);
  }
}

async function answers({ remote, pauses }: SendTools): Promise<boolean> {
  try {
    await remote.job('reachable', { signal: pauses.limit() });
    return true;
  } catch (error) {
    return isReframeError(error) && error.cause === undefined && error.code !== 'unavailable';
  }
}

async function send(box: Outbox, job: SyncJob, tools: SendTools): Promise<'sent' | 'later'> {
  const client = job.where === 'remote' ? tools.remote : tools.local;
  await box.update(job.id, { state: 'sending' });
  try {
    const { job_id } = await client.reframe(job.request, { signal: tools.pauses.limit() });
    tools.onRunning(await box.update(job.id, { state: 'running', jobId: job_id }));
    return 'sent';
  } catch (error) {
    const known = isReframeError(error) ? error : undefined;
    const { code = 'internal', message = String(error) } = known ?? {};
    const isAnswer = known !== undefined && known.cause === undefined;
    if (isAnswer && code === 'unavailable') {
      await box.update(job.id, { state: 'queued' });
      return 'later';
    }
    // A local service does not charge without a record of the charge; a remote service that broke down may
    // have.
    const isRefused = isAnswer && code !== 'internal' && code !== 'cv_backend_unreachable';
    const state = isRefused || job.where === 'local' ? 'failed' : 'unknown';
    await box.update(job.id, { state, code, error: message });
    return 'sent';
  }
}
