import { createSessionTasks, type SessionTasks } from './session-worker.js';
import { createTranscriptionTasks, type TranscriptionTasks } from './transcription-worker.js';

/** All that an inference worker offers; each one is used for one thing. */
export type InferenceTasks = SessionTasks & TranscriptionTasks;

export const createInferenceTasks = (): InferenceTasks => ({
  ...createSessionTasks(),
  ...createTranscriptionTasks(),
});
