export { answerWorker, untilControlled } from './answer-worker.js';
export { measureSpeed } from './benchmark.js';
export { type BrowserStoreOptions, openBrowserStore } from './browser-store.js';
export type { LedgerEntry } from './credits.js';
export type { KeepPolicy } from './housekeeping.js';
export {
  createLocalService,
  type LocalService,
  type LocalServiceOptions,
  type VideoSummary,
} from './local.js';
export type { HandedIn } from './sources.js';
export type { Job, Video } from './state.js';
export type { LlmPlanner, Pipeline } from './steps.js';
export {
  type Change,
  createMemoryStore,
  type FileDraft,
  type Files,
  type Rows,
  type Store,
} from './store.js';
export { createStoredAnswers } from './stored.js';
