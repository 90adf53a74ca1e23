import type { AnalysisParts } from '../schema/result.js';
import type { CaptionOptions } from './caption-options.js';
import { type Caption, captions } from './captions.js';

/** Captions of what an analysis wrote down, broken at the cuts that it found; none where it wrote nothing down. */
export function captionParts(
  { transcription, scene_detection }: Pick<AnalysisParts, 'transcription' | 'scene_detection'>,
  options: CaptionOptions = {},
): Caption[] {
  if (!transcription) return [];
  const cutsSec = scene_detection?.scenes.slice(1).map(scene => scene.start_time) ?? [];
  return captions(transcription, { cutsSec, ...options });
}
