import type { SceneDetection } from '../schema/result.js';
import type { SourceClock } from '../schema/time.js';
import type { Shot } from './shot-boundaries.js';

/** What the wire calls the model-free analyser. */
export const modelFreeName = 'thumbnail-cuts';

/**
 * Writes shots as the wire's `scene_detection`.
 *
 * @param clock - Of the source; its duration ends the last shot if that ends with the source.
 * @param model - What found them: `thumbnail-cuts` is the model-free analyser.
 */
export function toSceneDetection(
  shots: readonly Shot[],
  clock: SourceClock & { readonly durationSec: number },
  model: string,
): SceneDetection {
  return {
    model,
    video_fps: clock.frameRateHz,
    total_frames: clock.totalFrames,
    scene_count: shots.length,
    scenes: shots.map((shot, scene_id) => ({
      scene_id,
      start_time: shot.startSec,
      end_time: shot.endFrame >= clock.totalFrames ? clock.durationSec : shot.endSec,
      start_frame: shot.startFrame,
      end_frame: shot.endFrame,
    })),
  };
}
