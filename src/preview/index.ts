export { type CropAt, cropAt } from '../core/plan/crop-at.js';
export {
  attachPreview,
  type Preview,
  type PreviewFrame,
  type PreviewInput,
  type PreviewStats,
} from './attach-preview.js';
