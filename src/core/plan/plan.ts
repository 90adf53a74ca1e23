import type { Plan, PlanRequest } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { frameShot } from './frame-shot.js';
import { shotScenes } from './shot-scenes.js';
import type { PlanScope } from './timeline.js';

/**
 * Plans the camera: which part of the source the output shows in every frame. Pure arithmetic on the wire
 * parts, without pixels, so that another aspect, camera or correction never decodes anything again.
 *
 * Shots are planned one by one, which is why no camera move crosses a cut and changes at a cut lie exactly
 * on its frame. Missing parts cost quality, not the plan: without decisions about speech the most salient
 * face is framed, without faces the whole picture.
 *
 * @param request - Complete; the edge resolves `defaultPlanRequest`.
 * @param scope - Frames to plan; the source's size where no face part says it.
 * @throws TypeError where the parts do not say how long or how large the source is.
 */
export function planCrop(parts: AnalysisParts, request: PlanRequest, scope: PlanScope = {}): Plan {
  const scenes = shotScenes(parts, request, scope);
  const { timeline, output } = scenes;
  return {
    model: 'reframe',
    width: timeline.width,
    height: timeline.height,
    output_width: output.width,
    output_height: output.height,
    video_fps: timeline.frameRateHz,
    total_frames: timeline.totalFrames,
    first_frame: timeline.firstFrame,
    frame_count: timeline.frameCount,
    segments: scenes.shots.flatMap(frameShot),
  };
}
