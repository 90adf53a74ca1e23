import type { Size } from '../../schema/geometry.js';
import type { PlanRequest } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { outputSize } from './layout.js';
import { newPanels } from './new-panels.js';
import { planWeights as planWeightsOf } from './plan-weights.js';
import { readFaces } from './read-faces.js';
import { readContent } from './shot-content.js';
import { presentedScreens, roleOf, type ShotScene } from './shot-scene.js';
import { spokenSums } from './speech-sums.js';
import { type PlanScope, readTimeline, type Timeline } from './timeline.js';
import { defaultTurnOptions, weighSpeech } from './turns.js';

/** What a request's planner knows of every shot, before anything is decided. */
export type ShotScenes = {
  readonly timeline: Timeline;
  /** Pixels of the output. */
  readonly output: Size;
  /** One entry per shot of the timeline. */
  readonly shots: readonly ShotScene[];
};

/** Reads the parts for a request. @throws TypeError where they do not say how long or how large the source is. */
export function shotScenes(parts: AnalysisParts, request: PlanRequest, scope: PlanScope = {}): ShotScenes {
  const timeline = readTimeline(parts, scope);
  const output = outputSize(request, timeline);
  const stepSec = 1 / timeline.frameRateHz;
  const facesOf = readFaces(parts, timeline);
  const planWeights = planWeightsOf[request.pace];
  const options = { ...defaultTurnOptions, interjectionWeight: planWeights.interjection };
  const heard = scope.speech && framesHeard(scope.speech, timeline);
  const isNewPanel = newPanels(timeline, facesOf);
  const shots = timeline.shots.map((shot, s): ShotScene => {
    const faces = facesOf[s]!;
    const content = readContent(parts, shot, timeline);
    const weights = weighSpeech(faces, { frameCount: shot.end - shot.start, stepSec }, options);
    return {
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
    };
  });
  return { timeline, output, shots };
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
