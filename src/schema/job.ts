import * as v from 'valibot';
import { ReframeError } from './error.js';

/** What `/api/v2/analyze` can compute. */
export const modelTypes = [
  'scene_detection',
  'face_tracking_yolov8',
  'active_speaker',
  'transcription',
  'diarization',
] as const;
/** One analysis of `/api/v2/analyze`, by its `model_type`. */
export type ModelType = (typeof modelTypes)[number];

/** What `/api/v2/transform` can make. The clip of each is downloaded by its name as `suffix`, after an underscore. */
export const transformTypes = ['reframe', 'reframe_llm'] as const;
/** One output of `/api/v2/transform`, by its `transform_type`. */
export type TransformType = (typeof transformTypes)[number];

/** Forms in which a transcript is downloaded as captions. */
export const transcriptFormats = ['srt', 'vtt'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

/** Everything that can be done to a video, in the words of the granular endpoints. */
export const stepNames = ['ingest', ...modelTypes, ...transformTypes] as const;
/** One step of a video: the ingestion, an analysis or a transform. */
export type StepName = (typeof stepNames)[number];

/** Where a step of a video stands: asked for, running, done, or given up. */
export const stepStatuses = ['pending', 'processing', 'completed', 'failed'] as const;
/** Where a step of a video stands: asked for, running, done, or given up. */
export type StepStatus = (typeof stepStatuses)[number];

/** What a reframe job says it is doing. */
export const jobSteps = [
  'ingesting',
  'scene_detection',
  'face_tracking',
  'active_speaker',
  'diarization',
  'transcription',
  'reframe',
] as const;
export type JobStep = (typeof jobSteps)[number];

const sec = v.pipe(v.number(), v.finite(), v.minValue(0), v.description('Seconds.'));
const ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const flag = v.exactOptional(v.boolean());
const address = v.pipe(
  v.string(),
  v.minLength(1),
  v.description('http(s), Google Drive share link, blob:, or from put().'),
);

export const reframeRequestSchema = v.pipe(
  v.object({
    url: address,
    start_time: v.exactOptional(sec),
    end_time: v.exactOptional(sec),
    llm: v.exactOptional(
      v.pipe(v.boolean(), v.description('An advisor is asked about difficult scenes; see notes.')),
    ),
    diarization: flag,
    transcription: flag,
  }),
  v.check(
    ({ start_time = 0, end_time = Number.POSITIVE_INFINITY }) => start_time < end_time,
    'start_time must be smaller than end_time',
  ),
);
/**
 * Body of `POST /api/v2/reframe`: address of the source, and optionally the stretch to use (`start_time` and
 * `end_time`, seconds; default all of the source), `llm` (an advisor is asked about difficult scenes; default false), `diarization` and
 * `transcription` (analyses that the job makes beside those of the clip; default false; neither changes who is framed).
 */
export type ReframeRequest = v.InferOutput<typeof reframeRequestSchema>;

export const vadRequestSchema = v.object({ video_url: address });
export type VadRequest = v.InferOutput<typeof vadRequestSchema>;

export const ingestRequestSchema = v.object({ url: address });
export type IngestRequest = v.InferOutput<typeof ingestRequestSchema>;

const onTrackedFaces = v.object({ face_tracking_model: v.literal('face_tracking_yolov8') });
const anyParameters = v.exactOptional(v.record(v.string(), v.unknown()));
const videoId = v.pipe(v.string(), v.minLength(1));

/** `active_speaker` names the tracking it works on; the parameters of the other models are not looked at. */
export const analyzeRequestSchema = v.variant('model_type', [
  v.object({ video_id: videoId, model_type: v.literal('active_speaker'), parameters: onTrackedFaces }),
  v.object({
    video_id: videoId,
    model_type: v.picklist(['scene_detection', 'face_tracking_yolov8', 'transcription', 'diarization']),
    parameters: anyParameters,
  }),
]);
/** Body of `POST /api/v2/analyze`: a video and the analysis to compute. */
export type AnalyzeRequest = v.InferOutput<typeof analyzeRequestSchema>;

export const transformRequestSchema = v.variant('transform_type', [
  v.object({ video_id: videoId, transform_type: v.literal('reframe'), parameters: onTrackedFaces }),
  v.object({ video_id: videoId, transform_type: v.literal('reframe_llm'), parameters: anyParameters }),
]);
/** Body of `POST /api/v2/transform`: a video and the clip to make of it. */
export type TransformRequest = v.InferOutput<typeof transformRequestSchema>;

export const reframeAcceptedSchema = v.object({
  job_id: v.string(),
  status: v.literal('processing'),
  step: v.literal('ingesting'),
});
/** Answer to `POST /api/v2/reframe`: the id by which the job is polled. */
export type ReframeAccepted = v.InferOutput<typeof reframeAcceptedSchema>;

/** What a job says beside its state. The cloud service need not send these fields, so all are optional. */
const jobRemarks = {
  job_id: v.exactOptional(v.string()),
  progress: v.exactOptional(ratio),
  waiting_for: v.exactOptional(
    v.pipe(v.string(), v.description('The error code of what keeps the job waiting.')),
  ),
  resumable: v.exactOptional(
    v.pipe(v.boolean(), v.description('Whether the job goes on after the page was closed.')),
  ),
  notes: v.exactOptional(
    v.pipe(v.array(v.string()), v.description('What could not be done, and what an advisor said.')),
  ),
};

export const reframeJobSchema = v.variant('status', [
  v.object({ status: v.literal('processing'), step: v.string(), ...jobRemarks }),
  v.object({
    status: v.literal('completed'),
    video_id: v.string(),
    download_url: v.string(),
    ...jobRemarks,
  }),
  v.object({
    status: v.literal('failed'),
    step: v.exactOptional(v.string()),
    video_id: v.exactOptional(v.string()),
    error: v.exactOptional(v.string()),
    code: v.exactOptional(v.string()),
    ...jobRemarks,
  }),
]);
/**
 * Answer to `GET /api/v2/reframe/{job_id}`: where a reframe job stands. `progress` is 0–1; `download_url` of
 * a completed job may be relative to the service's address; `code` of a failed one is an error code.
 */
export type ReframeJob = v.InferOutput<typeof reframeJobSchema>;

export const vadAcceptedSchema = v.object({
  task_id: v.string(),
  status: v.literal('pending'),
  message: v.string(),
});
/** Answer to `POST /api/vad/analyze`: the id by which the task is polled. */
export type VadAccepted = v.InferOutput<typeof vadAcceptedSchema>;

/** Every frame of the source and the faces on it, in pixels of the displayed frame. */
export const vadFramesSchema = v.object({
  video_fps: v.pipe(v.number(), v.minValue(0)),
  total_frames: count,
  frames: v.array(
    v.object({
      frame_number: count,
      timestamp: sec,
      speaking: v.boolean(),
      faces: v.array(
        v.object({
          face_id: count,
          x: v.number(),
          y: v.number(),
          width: v.number(),
          height: v.number(),
          score: v.number(),
          speaking: v.boolean(),
        }),
      ),
    }),
  ),
});
/**
 * Who speaks in each frame. `timestamp` is in seconds; boxes are in pixels of the displayed frame; `score` is
 * the speaker model's, higher for speech.
 */
export type VadFrames = v.InferOutput<typeof vadFramesSchema>;

export const vadTaskSchema = v.object({
  task_id: v.string(),
  status: v.picklist(stepStatuses),
  progress: v.exactOptional(ratio),
  result: v.exactOptional(vadFramesSchema),
  error: v.exactOptional(v.string()),
});
/**
 * Answer to `GET /api/vad/result/{task_id}`: where a speaker analysis stands, and its `result` when
 * completed. `progress` is 0–1.
 */
export type VadTask = v.InferOutput<typeof vadTaskSchema>;

/** The most recent step of a video; the answer to `ingest`, `analyze` and `transform` as well. */
export const videoStatusSchema = v.object({
  video_id: v.string(),
  step: v.exactOptional(v.string()),
  status: v.exactOptional(v.picklist(stepStatuses)),
  progress: v.exactOptional(ratio),
  result: v.exactOptional(v.record(v.string(), v.unknown())),
  error: v.exactOptional(v.string()),
  code: v.exactOptional(v.string()),
  notes: v.exactOptional(v.array(v.string())),
});
/**
 * State of a video's latest step. `progress` is 0–1; `result` holds the parts of an analysis that is
 * completed.
 */
export type VideoStatus = v.InferOutput<typeof videoStatusSchema>;

/** Body of every refused request. `code` is absent from the answers of `/api/vad`. */
export const refusalSchema = v.object({ error: v.string(), code: v.exactOptional(v.string()) });
export type Refusal = v.InferOutput<typeof refusalSchema>;

/** What can be downloaded of a video: a clip, or its captions. */
export type DownloadName = TransformType | `transcription.${TranscriptFormat}`;

/** Every {@link DownloadName}. */
export const downloadNames: readonly DownloadName[] = [
  ...transformTypes,
  ...transcriptFormats.map(format => `transcription.${format}` as const),
];

/** Where a file of a video lies, relative to the service's address. */
export const downloadPath = (id: string, name: DownloadName): string =>
  `/api/v2/download/${encodeURIComponent(id)}?suffix=_${name}`;

/**
 * Reads a value as a schema says.
 *
 * @throws ReframeError `invalid_request` naming the field that is wrong.
 */
export function parseWire<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0]!;
  const path = v.getDotPath(issue);
  throw new ReframeError('invalid_request', path ? `${path}: ${issue.message}` : issue.message);
}
