export { type ErrorCode, isReframeError, ReframeError } from '../schema/error.js';
export type {
  AnalyzeRequest,
  DownloadName,
  ModelType,
  ReframeAccepted,
  ReframeJob,
  ReframeRequest,
  TranscriptFormat,
  TransformRequest,
  TransformType,
  VadAccepted,
  VadFrames,
  VadTask,
  VideoStatus,
} from '../schema/job.js';
export {
  type Client,
  type ClientOptions,
  createClient,
  type Download,
  type DownloadOptions,
  type RequestOptions,
} from './client.js';
export type { WatchOptions } from './polls.js';
