export { type CropAt, cropAt } from '../core/plan/crop-at.js';
export {
  attachPreview,
  type Preview,
  type PreviewFrame,
  type PreviewInput,
  type PreviewStats,
} from './attach-preview.js';
export { type Casting, type Correction, toOverrides, toSubjects } from './corrections.js';
export type { PreviewOverlay } from './draw-view.js';
export { type FaceAt, faceAt, facesAt } from './faces-at.js';
