export type { StepName, StepStatus } from '../schema/job.js';
export { answerWorker, untilControlled } from './http/answer-worker.js';
export { measureSpeed } from './jobs/benchmark.js';
export type { LedgerEntry } from './jobs/credits.js';
export type { Failure, Job, Source, StepState, Video } from './jobs/state.js';
export type { Pipeline } from './jobs/steps.js';
export {
  createLocalService,
  type LocalService,
  type LocalServiceOptions,
  type VideoSummary,
} from './local.js';
export type { HandedIn } from './sources/sources.js';
export { type BrowserStoreOptions, openBrowserStore } from './storage/browser-store.js';
export type { FileDraft, FileSizes, Files } from './storage/files.js';
export type { KeepPolicy } from './storage/housekeeping.js';
export type { Save, Work } from './storage/save.js';
export {
  type Change,
  createMemoryStore,
  type Rows,
  type Shelf,
  type Store,
  type TableName,
} from './storage/store.js';
export { createStoredAnswers } from './storage/stored.js';
