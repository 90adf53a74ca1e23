export type { SyncJob } from './outbox.js';
export type { PauseOptions } from './pauses.js';
export {
  choosePlace,
  type Decision,
  isPublic,
  type Place,
  type PlaceReason,
  type SyncPolicy,
} from './policy.js';
export { isSameSource, type KeptResult, reconcile, type SourceIdentity } from './reconcile.js';
export { createSync, type SubmitOptions, type Sync, type SyncOptions } from './sync.js';
