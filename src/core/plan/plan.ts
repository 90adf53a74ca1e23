import type { Plan, PlanRequest, Segment } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { frameShot } from './frame-shot.js';
import { outputSize } from './layout.js';
import { newPanels } from './new-panels.js';
import { planWeights as planWeightsOf } from './plan-weights.js';
import { readFaces } from './read-faces.js';
import { readContent } from './shot-content.js';
import { presentedScreens, roleOf } from './shot-scene.js';
import { spokenSums } from './speech-sums.js';
import { type PlanScope, readTimeline, type Timeline } from './timeline.js';
import { defaultTurnOptions, weighSpeech } from './turns.js';

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
  const timeline = readTimeline(parts, scope);
  const output = outputSize(request, timeline);
  const stepSec = 1 / timeline.frameRateHz;
  const facesOf = readFaces(parts, timeline);
  const planWeights = planWeightsOf[request.pace];
  const options = { ...defaultTurnOptions, interjectionWeight: planWeights.interjection };
  const heard = scope.speech && framesHeard(scope.speech, timeline);
  const isNewPanel = newPanels(timeline, facesOf);
  const segments: Segment[] = timeline.shots.flatMap((shot, s) => {
    const faces = facesOf[s]!;
    const content = readContent(parts, shot, timeline);
    const weights = weighSpeech(faces, { frameCount: shot.end - shot.start, stepSec }, options);
    return frameShot({
      shot,
      faces,
      roles: faces.map(face => roleOf(face, request.subjects)),
      weights,
      spoken: spokenSums({ faces, weights }),
      content,
      presented: presentedScreens(content.screens, faces),
      isNewPanel: isNewPanel[s]!,
      stepSec,
      timeline,
      request,
      planWeights,
      output,
      ...(heard && {
        heard: heard.subarray(shot.start - timeline.firstFrame, shot.end - timeline.firstFrame),
      }),
    });
  });
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
    segments,
  };
}

/** 1 in the planned frames in which a voice is heard. */
function framesHeard(speech: NonNullable<PlanScope['speech']>, timeline: Timeline): Uint8Array {
  const heard = new Uint8Array(timeline.frameCount);
  for (const { startSec, endSec } of speech)
    heard.fill(
      1,
      timeline.frameAt(startSec) - timeline.firstFrame,
      timeline.frameAt(endSec) - timeline.firstFrame,
    );
  return heard;
}
