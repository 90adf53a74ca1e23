import { ReframeError } from '../schema/error.js';

/** The one error of everything that reads a checkpoint: the file is not what it should be, and why. */
export const corrupt = (detail: string): ReframeError => new ReframeError('model_corrupt', detail);
