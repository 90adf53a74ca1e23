import { type ErrorCode, ReframeError } from '../../schema/error.js';
import {
  downloadPath,
  type JobStep,
  type ModelType,
  modelTypes,
  type ReframeJob,
  type StepName,
  type StepStatus,
  type TransformType,
  type VideoStatus,
} from '../../schema/job.js';

/** Where the bytes of a video are found again, also after a restart. */
export type Source =
  | { readonly kind: 'url'; readonly url: string; readonly etag?: string; readonly sizeBytes?: number }
  /**
   * A file that was handed in: kept as a copy, as a handle, or only as long as the page lives; `id` is its
   * fingerprint. Or a copy of `url`, from where the file can be copied again.
   */
  | { readonly kind: 'file'; readonly id: string; readonly name: string; readonly url?: string };

/** Why a step failed: an error code, and the sentence that goes with it. */
export type Failure = { readonly code: ErrorCode; readonly message: string };

/** Where a step of a video stands, and the failure of a step that failed. */
export type StepState = { readonly status: StepStatus; readonly failure?: Failure };

/** What drives a video's steps by itself; absent where the caller asks for each step. */
export type Job = {
  /** Id by which the job is polled. */
  readonly id: string;
  /** What the job ends with: a clip (`reframe`), or who speaks (`vad`). */
  readonly kind: 'reframe' | 'vad';
  /** Whether an advisor is asked about difficult scenes. */
  readonly llm: boolean;
  /** Analyses that the caller asked for beside those that the clip needs. */
  readonly further?: readonly ModelType[];
};

/** One source and all that was asked of it: the only record that the service keeps beside results and ledger. */
export type Video = {
  /** Id by which requests name the video. */
  readonly id: string;
  /** Where the video's bytes are found. */
  readonly source: Source;
  /** Start of the stretch to use, in seconds of the source. Default: its start. */
  readonly startSec?: number;
  /** End of the stretch to use, in seconds of the source. Default: its end. */
  readonly endSec?: number;
  /** Length of the whole source; known once it is ingested. */
  readonly durationSec?: number;
  /** The job that drives the steps; absent where the caller asks for each step. */
  readonly job?: Job;
  /** Where each step stands; absent are steps that nobody asked for. */
  readonly steps: Partial<Readonly<Record<StepName, StepState>>>;
  /** The step that was asked for last. */
  readonly latest: StepName;
  /** What was asked for and could not be done, and what came of asking an advisor, as sentences. */
  readonly notes: readonly string[];
  /** Whether the work goes on after the page was closed. */
  readonly resumable: boolean;
  /** Seconds of media that were worked on more than once, because a page was closed or killed over them. */
  readonly repeatedSec?: number;
  /** What the video waits for before its step can go on. */
  readonly waitingFor?: ErrorCode;
  /** When the video came, in milliseconds since 1970. */
  readonly createdMs: number;
  /** When the video was last worked on, in milliseconds since 1970. */
  readonly updatedMs: number;
};

/** The step that must be completed before. */
const before: Readonly<Record<StepName, StepName | undefined>> = {
  ingest: undefined,
  scene_detection: 'ingest',
  face_tracking_yolov8: 'scene_detection',
  active_speaker: 'face_tracking_yolov8',
  transcription: 'ingest',
  diarization: 'ingest',
  reframe: 'active_speaker',
  reframe_llm: 'active_speaker',
};

const jobWords: Partial<Readonly<Record<StepName, JobStep>>> = {
  ingest: 'ingesting',
  scene_detection: 'scene_detection',
  face_tracking_yolov8: 'face_tracking',
  active_speaker: 'active_speaker',
  diarization: 'diarization',
  transcription: 'transcription',
  reframe: 'reframe',
};

/** The steps of a job in their order; none for a video whose steps are asked for one by one. */
export function orderOf({ job }: Pick<Video, 'job'>): readonly StepName[] {
  if (!job) return [];
  const analysis: StepName[] = ['ingest', 'scene_detection', 'face_tracking_yolov8', 'active_speaker'];
  return job.kind === 'vad' ? analysis : [...analysis, ...(job.further ?? []), 'reframe'];
}

export const isDone = (video: Video, step: StepName): boolean => video.steps[step]?.status === 'completed';
const isOpen = (state: StepState | undefined) =>
  state?.status === 'pending' || state?.status === 'processing';
export const isModelType = (step: StepName): step is ModelType => modelTypes.some(type => type === step);

/** Failure of the step asked for last, if that step failed: a video stops there until somebody asks again. */
export const failureOf = (video: Video): Failure | undefined => video.steps[video.latest]?.failure;

/** Whether something is still to be done without being asked for. */
export const isUnfinished = (video: Video): boolean =>
  Object.values(video.steps).some(isOpen) ||
  (!failureOf(video) && orderOf(video).some(step => !isDone(video, step)));

/**
 * Takes note of a step that a caller asks for.
 *
 * @returns The video with the step pending; the same video where it is done or under way already.
 * @throws ReframeError `conflict` when the step before is not completed.
 */
export function askFor(video: Video, step: StepName, nowMs: number): Video {
  if (isOpen(video.steps[step])) return video;
  const needed = before[step];
  if (needed && !isDone(video, needed))
    throw new ReframeError('conflict', `${step} needs ${needed}, which is not completed.`);
  if (Object.values(video.steps).some(isOpen))
    throw new ReframeError('conflict', `Another step of this video is under way: ${video.latest}.`);
  if (isDone(video, step)) return { ...video, latest: step, updatedMs: nowMs };
  return moveSteps(video, [step], { status: 'pending' }, nowMs);
}

/** Brings steps into a state; the last of them becomes the video's most recent one. */
export function moveSteps(video: Video, steps: readonly StepName[], state: StepState, nowMs: number): Video {
  const moved = Object.fromEntries(steps.map(step => [step, state]));
  return {
    ...video,
    steps: { ...video.steps, ...moved },
    latest: steps.at(-1) ?? video.latest,
    updatedMs: nowMs,
  };
}

/** Gives up: the least finished of the steps fails, the steps that ran with it count as never asked for. */
export function failSteps(video: Video, steps: readonly StepName[], failure: Failure, nowMs: number): Video {
  const left = Object.fromEntries(Object.entries(video.steps).filter(([, state]) => !isOpen(state)));
  return moveSteps({ ...video, steps: left }, steps.slice(-1), { status: 'failed', failure }, nowMs);
}

/**
 * What is to run now. A job that runs by itself takes all analyses that are missing in one pass over the source;
 * a polled one takes one step.
 */
export function nextSteps(video: Video, advance: 'auto' | 'poll'): readonly StepName[] {
  if (failureOf(video)) return [];
  const asked = Object.keys(video.steps).filter(step => isOpen(video.steps[step as StepName])) as StepName[];
  const missing = orderOf(video).filter(step => !isDone(video, step));
  const first = missing[0];
  // A finished job's video takes further steps like any other.
  if (!first) return asked;
  if (advance === 'poll' || !isModelType(first)) return [first];
  return missing.filter(isModelType);
}

/** What a reframe job answers to a poll. The step named is the least finished one. */
export function toJob(video: Video, progress: number | undefined): ReframeJob {
  const { job, notes } = video;
  const remarks = { job_id: job!.id, ...(notes.length > 0 && { notes: [...notes] }) };
  const failure = failureOf(video);
  if (failure) {
    const step = jobWords[video.latest];
    return {
      status: 'failed',
      ...(step && { step }),
      error: failure.message,
      code: failure.code,
      ...remarks,
    };
  }
  const missing = orderOf(video).filter(step => !isDone(video, step));
  if (missing.length === 0)
    return {
      status: 'completed',
      video_id: video.id,
      download_url: downloadPath(video.id, 'reframe'),
      ...remarks,
    };
  const running = missing.filter(step => isOpen(video.steps[step]));
  return {
    status: 'processing',
    step: jobWords[running.at(-1) ?? missing[0]!]!,
    ...(progress !== undefined && { progress }),
    resumable: video.resumable,
    ...(video.waitingFor && { waiting_for: video.waitingFor }),
    ...remarks,
  };
}

/** The most recent step of a video, in the wire's words. */
export function toStatus(
  video: Video,
  { progress, result }: { progress?: number | undefined; result?: object | undefined },
): VideoStatus {
  const { status, failure } = video.steps[video.latest]!;
  return {
    video_id: video.id,
    step: video.latest,
    status,
    progress: status === 'completed' ? 1 : (progress ?? 0),
    ...(result && { result: result as Record<string, unknown> }),
    ...(failure && { error: failure.message, code: failure.code }),
    ...(video.notes.length > 0 && { notes: [...video.notes] }),
  };
}

/** Name of a video's clip in the store. */
export const clipName = (video: Pick<Video, 'id'>, transform: TransformType): string =>
  `${video.id}_${transform}.mp4`;
