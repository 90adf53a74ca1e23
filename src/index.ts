export { type Assessment, type AssessOptions, assess, type Problem } from './core/plan/assess.js';
export { type CropAt, cropAt, cropAtFrame } from './core/plan/crop-at.js';
export { planCrop } from './core/plan/plan.js';
export type { PlanScope } from './core/plan/timeline.js';
export type {
  FaceEvidence,
  SoundEvidence,
  SpeakerCandidate,
  SpeakerEvidence,
} from './core/speaker-evidence.js';
export type { SpeechProbability } from './core/speech.js';
export { fingerprint } from './identity/fingerprint.js';
export type { TranscriptionFamily } from './inference/transcription-worker.js';
export type { ModelFile, WeightsOptions } from './inference/weights.js';
export type { FfmpegUrls } from './media/ffmpeg/ffmpeg-urls.js';
export type { FrameSource } from './media/input/frames.js';
export type { SoundBlock } from './media/input/sound.js';
export type { Display, MediaChoice, MediaFacts } from './media/media.js';
export type { SourceInput } from './media/source.js';
export type { ProbeResult } from './pipeline/analysis/analysis-tasks.js';
export type {
  EngineOptions,
  ModelOptions,
  ShotDetector,
  SpeakerFamily,
  WordsFiles,
} from './pipeline/engine-options.js';
export { discardChunks } from './pipeline/rendering/clip-folder.js';
export type { CaptionTrack, RenderReport, RenderSettings } from './pipeline/rendering/render-tasks.js';
export type { Advised, AdviseOptions } from './reframer/call-advise.js';
export type {
  AnalyseOptions,
  BurnCaptions,
  Clip,
  FurtherPart,
  RangeOptions,
  ReframeOptions,
  ReframerOptions,
  RenderOptions,
} from './reframer/options.js';
export { createReframer, type Reframer } from './reframer/reframer.js';
export type { AdvisorQuestion, Difficulty } from './schema/advice.js';
export type { Advisor, AdvisorCall } from './schema/advisor.js';
export { type AnalysisState, analysisStateVersion } from './schema/analysis-state.js';
export type { CallOptions } from './schema/call-options.js';
export {
  type CaptionStyle,
  completeCaptionStyle,
  defaultCaptionStyle,
} from './schema/caption-style.js';
export { type Content, contentSchema } from './schema/content.js';
export type { Diagnostics, ModelUse, StageTime } from './schema/diagnostics.js';
export { type ErrorCode, errorCodes, isReframeError, ReframeError } from './schema/error.js';
export type { NormBox, PixelBox, PixelPoint, Size } from './schema/geometry.js';
export type { ModelManifest } from './schema/model.js';
export {
  type Background,
  completePlanRequest,
  defaultPlanRequest,
  type Keyframe,
  type Layout,
  layouts,
  type Override,
  type Panel,
  type Plan,
  type PlanReason,
  type PlanRequest,
  planSchema,
  type Segment,
  type Subject,
} from './schema/plan.js';
export type { OnProgress, Progress, Stage } from './schema/progress.js';
export {
  type ActiveSpeaker,
  type AnalysisParts,
  type AnalysisResult,
  activeSpeakerSchema,
  analysisPartsSchema,
  type FaceTracking,
  faceTrackingSchema,
  type PartialResult,
  type PartName,
  type PlannableResult,
  resultVersion,
  type SceneDetection,
  sceneDetectionSchema,
} from './schema/result.js';
export type { SpokenWord, TranscribeSpeech } from './schema/spoken-words.js';
export type { FrameTime, TimeRange } from './schema/time.js';
export {
  type Diarization,
  diarizationSchema,
  type Transcription,
  transcriptionSchema,
} from './schema/transcription.js';
export type { WorkerUrls } from './spawn.js';
