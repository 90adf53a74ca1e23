import type { Client } from '../client/client.js';
import { isQuotaExceeded, isReframeError } from '../schema/error.js';
import type { Store } from '../service/storage/store.js';
import { fetchClip } from './fetch-clip.js';
import type { Outbox, SyncJob } from './outbox.js';
import type { Pauses } from './pauses.js';
import { durationOf, identityOf, partIn, type Results } from './results.js';

export type FollowTools = {
  readonly local: Client;
  readonly remote: Client;
  readonly store: Store;
  readonly results: Results;
  readonly pauses: Pauses;
  readonly signal: AbortSignal;
};

/** Follows a job that runs until it has ended, and takes over what it made. */
export async function followJob(box: Outbox, job: SyncJob, tools: FollowTools): Promise<void> {
  try {
    await watchOn(box, job, tools);
  } catch (error) {
    if (tools.signal.aborted) return;
    await box.update(job.id, { state: 'failed', code: codeOf(error), error: (error as Error).message });
  }
}

/** Watches a job as long as it takes: a service that is away or broken for a while has the job still. */
async function watchOn(box: Outbox, job: SyncJob, tools: FollowTools): Promise<void> {
  const { pauses, signal } = tools;
  for (let misses = 0; ; misses++) {
    try {
      return await watch(box, job, tools);
    } catch (error) {
      signal.throwIfAborted();
      if (!isPassing(error)) throw error;
      await pauses.backOff(misses);
      signal.throwIfAborted();
    }
  }
}

async function watch(box: Outbox, job: SyncJob, tools: FollowTools): Promise<void> {
  const { local, remote, pauses, signal } = tools;
  const client = job.where === 'remote' ? remote : local;
  for await (const state of client.watch(job.jobId!, { signal, ...pauses.polling })) {
    if (state.status === 'failed') {
      const { code = 'internal', error = 'The job failed.' } = state;
      await box.update(job.id, { state: 'failed', code, error });
    } else if (state.status === 'processing') {
      const { step, progress } = state;
      await box.update(job.id, { step, ...(progress !== undefined && { progress }) });
    } else {
      const videoId = state.video_id;
      const take = job.where === 'remote' ? bring : note;
      const brought = await take(job, videoId, tools);
      await box.update(job.id, { state: 'completed', videoId, result_source: job.where, ...brought });
    }
  }
}

/** Takes over what the remote service made: the clip, and the analysis that its status shows. */
async function bring(job: SyncJob, videoId: string, tools: FollowTools): Promise<Partial<SyncJob>> {
  const { remote, store, results, pauses, signal } = tools;
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

/** The local service keeps the result itself: only whose result it is is noted here. */
async function note(job: SyncJob, videoId: string, tools: FollowTools): Promise<Partial<SyncJob>> {
  const video = await tools.store.get('videos', videoId);
  const source = video ? identityOf(video) : { url: job.request.url };
  await tools.results.keep(job.id, { source, resultSource: 'local', parts: {}, finishedMs: 0 });
  return {};
}

/** Whether a service that answers so may answer otherwise later: it is away, overloaded, broken, or somebody else's. */
const isPassing = (error: unknown): boolean =>
  isReframeError(error) && ['unavailable', 'internal', 'cv_backend_unreachable'].includes(error.code);

const codeOf = (error: unknown) => {
  if (isReframeError(error)) return error.code;
  return isQuotaExceeded(error) ? 'quota_exceeded' : 'internal';
};
