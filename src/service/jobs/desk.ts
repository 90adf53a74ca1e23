import { ReframeError } from '../../schema/error.js';
import type {
  AnalyzeRequest,
  ReframeAccepted,
  ReframeJob,
  ReframeRequest,
  StepName,
  TransformRequest,
  VadAccepted,
  VadTask,
  VideoStatus,
} from '../../schema/job.js';
import { answerDownload } from '../http/download.js';
import { toVadFrames } from '../http/vad.js';
import type { Sources } from '../sources/sources.js';
import type { Store } from '../storage/store.js';
import type { Ledger } from './credits.js';
import type { Jobs } from './jobs.js';
import type { Records } from './records.js';
import { failureOf, isDone, orderOf, toJob, toStatus, type Video } from './state.js';
import { loadEnvelope, loadParts, type Pipeline, partKey } from './steps.js';
import { createTills } from './till.js';

/** Analyses that a job makes only where its request asks for them, in their order. */
const furtherModels = ['diarization', 'transcription'] as const;
type FurtherModel = (typeof furtherModels)[number];

/** One method per endpoint, in plain values; the routes turn HTTP into these. */
export type Desk = {
  analyzeSpeakers(videoUrl: string): Promise<VadAccepted>;
  speakersOf(taskId: string): Promise<VadTask>;
  reframe(request: ReframeRequest): Promise<ReframeAccepted>;
  jobOf(jobId: string): ReframeJob;
  ingest(url: string): Promise<VideoStatus>;
  analyze(request: AnalyzeRequest): Promise<VideoStatus>;
  transform(request: TransformRequest): Promise<VideoStatus>;
  statusOf(videoId: string): Promise<VideoStatus>;
  download(videoId: string, request: Request): Promise<Response>;
};

export type DeskTools = {
  readonly records: Records;
  readonly ledger: Ledger;
  readonly jobs: Jobs;
  readonly sources: Sources;
  readonly store: Store;
  readonly pipeline: () => Promise<Pipeline>;
  /** Whether there is somebody to ask about difficult scenes. */
  readonly hasAdvisor: boolean;
};

export function createDesk({ records, ledger, jobs, sources, store, pipeline, hasAdvisor }: DeskTools): Desk {
  const till = createTills(ledger, records);
  const videoOf = (id: string): Video => {
    const video = records.videos.get(id);
    if (!video) throw new ReframeError('not_found', 'There is no such video.');
    return video;
  };
  const byJob = (id: string, kind: 'reframe' | 'vad'): Video => {
    const video = records.find(id);
    if (video?.job?.kind !== kind || video.job.id !== id)
      throw new ReframeError('not_found', `There is no such ${kind === 'vad' ? 'task' : 'job'}.`);
    jobs.poll(video);
    return video;
  };
  const newJob = (kind: 'reframe' | 'vad', wishes: Partial<Record<'llm' | FurtherModel, boolean>> = {}) => ({
    id: crypto.randomUUID(),
    kind,
    llm: wishes.llm ?? false,
    further: furtherModels.filter(type => wishes[type]),
  });
  const ask = async (id: string, step: StepName) => {
    const video = await jobs.ask(videoOf(id), step);
    return toStatus(video, { progress: jobs.progressOf(video) });
  };

  return {
    async analyzeSpeakers(videoUrl) {
      const accepted = await sources.accept(videoUrl);
      await pipeline().catch(cause => {
        throw new ReframeError('cv_backend_unreachable', undefined, { cause });
      });
      const job = newJob('vad');
      await jobs.start({ ...accepted, job });
      const message = `Poll /api/vad/result/${job.id} for the result.`;
      return { task_id: job.id, status: 'pending', message };
    },

    async speakersOf(taskId) {
      const video = byJob(taskId, 'vad');
      const failure = failureOf(video);
      if (failure) return { task_id: taskId, status: 'failed', error: failure.message };
      const missing = orderOf(video).filter(step => !isDone(video, step));
      if (missing.length > 0) {
        const progress = jobs.progressOf(video);
        return {
          task_id: taskId,
          status: missing.includes('ingest') ? 'pending' : 'processing',
          ...(progress !== undefined && { progress }),
        };
      }
      const [parts, envelope] = await Promise.all([loadParts(store, video), loadEnvelope(store, video)]);
      if (!envelope || !parts.active_speaker || !parts.face_tracking_yolov8)
        return { task_id: taskId, status: 'failed', error: 'The result is gone from the storage.' };
      return { task_id: taskId, status: 'completed', result: toVadFrames(parts, envelope.range) };
    },

    async reframe({ url, start_time, end_time, ...wishes }) {
      const accepted = await sources.accept(url);
      const job = newJob('reframe', wishes);
      const notes =
        job.llm && !hasAdvisor ? ['llm: no advisor is installed; the standard plan is used.'] : [];
      await jobs.start({
        ...accepted,
        job,
        notes,
        ...(start_time !== undefined && { startSec: start_time }),
        ...(end_time !== undefined && { endSec: end_time }),
      });
      return { job_id: job.id, status: 'processing', step: 'ingesting' };
    },

    jobOf(jobId) {
      const video = byJob(jobId, 'reframe');
      return toJob(video, jobs.progressOf(video));
    },

    async ingest(url) {
      const video = await jobs.start(await sources.accept(url));
      return toStatus(video, {});
    },
    analyze: ({ video_id, model_type }) => ask(video_id, model_type),
    transform: ({ video_id, transform_type }) => ask(video_id, transform_type),

    async statusOf(videoId) {
      const video = videoOf(videoId);
      const hasResult = isDone(video, video.latest) && video.latest !== 'ingest';
      const result = hasResult ? await store.get('parts', partKey(video, video.latest)) : undefined;
      return toStatus(video, { progress: jobs.progressOf(video), result });
    },

    async download(videoId, request) {
      const video = videoOf(videoId);
      const charged = till(video);
      return answerDownload(request, video, { store, ...(charged && { till: charged }) });
    },
  };
}
