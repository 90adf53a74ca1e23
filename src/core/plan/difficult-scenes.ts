import type { Difficulty } from '../../schema/advice.js';
import type { Segment } from '../../schema/plan.js';
import { at, isSeen } from './faces.js';
import { layoutShapes } from './layouts/layouts.js';
import type { ShotScene } from './shot-scene.js';

/** A stretch of one shot of which the evidence does not tell how it should be shown. */
export type DifficultScene = {
  /** Frames of the shot, counted from its start; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly why: readonly Difficulty[];
  /** Seconds that are at stake. */
  readonly hardSec: number;
};

/** Doubt is 4p(1 − p): as doubtful as this is who speaks with a probability of .2 or .8. */
const leastDoubt = 0.64;
/** Shorter speech, and shorter stretches, are over before anybody minds. Seconds. */
const [leastSpeechSec, leastStretchSec] = [0.5, 1];
/** A screen, and a crowd, are there for this share of a view at least. */
const leastShareRatio = 0.5;
/** What a second counts for while a screen or a crowd is there, against 1 for a second of full doubt: a judgement. */
const secondsAtStake = { screen: 0.25, crowd: 0.5 };

/**
 * Finds what is difficult in one shot: views of its plan with several faces in which somebody speaks and nobody is surely
 * the one, a screen wants room, or there are more faces than a layout has panels. Neighbouring views make one stretch.
 * Stretches that overrides have settled are left out.
 */
export function difficultScenes(scene: ShotScene, segments: readonly Segment[]): DifficultScene[] {
  const found: DifficultScene[] = [];
  for (const segment of segments) {
    const [start, end] = [segment.start_frame - scene.shot.start, segment.end_frame - scene.shot.start];
    const judged = segment.reason === 'override' ? undefined : judge(start, end, scene);
    if (!judged) continue;
    const last = found.at(-1);
    if (last?.end !== start) found.push(judged);
    else
      found[found.length - 1] = {
        start: last.start,
        end,
        why: [...new Set([...last.why, ...judged.why])],
        hardSec: last.hardSec + judged.hardSec,
      };
  }
  return found.filter(({ start, end }) => (end - start) * scene.stepSec >= leastStretchSec);
}

const maxPanels = layoutShapes['grid-4'].faces[1];

function judge(start: number, end: number, scene: ShotScene): DifficultScene | undefined {
  const { faces, roles, weights, heard, content, stepSec } = scene;
  const shown = faces.map((_, f) => f).filter(f => roles[f]!.role !== 'ignore');
  const count = { crowd: 0, speech: 0, screen: 0 };
  let doubt = 0;
  for (let frame = start; frame < end; frame++) {
    const seen = shown.filter(f => isSeen(faces[f]!, frame));
    if (seen.length < 2) continue;
    if (seen.length > maxPanels) count.crowd++;
    if (content.screens.some(screen => screen.start <= frame && frame < screen.end)) count.screen++;
    if (!heard?.[frame] && !seen.some(f => at(faces[f]!, weights[f]!, frame) > 0)) continue;
    count.speech++;
    doubt += Math.max(...seen.map(f => doubtOf(at(faces[f]!, faces[f]!.probability, frame))));
  }
  const isUnsure = count.speech * stepSec >= leastSpeechSec && doubt >= leastDoubt * count.speech;
  const hasScreen = count.screen >= leastShareRatio * (end - start);
  const isCrowd = count.crowd >= leastShareRatio * (end - start);
  if (!isUnsure && !hasScreen && !isCrowd) return undefined;
  const atStake =
    (isUnsure ? doubt : 0) +
    (hasScreen ? secondsAtStake.screen * count.screen : 0) +
    (isCrowd ? secondsAtStake.crowd * count.crowd : 0);
  return {
    start,
    end,
    why: [
      ...(isUnsure ? (['unsure'] as const) : []),
      ...(hasScreen ? (['screen'] as const) : []),
      ...(isCrowd ? (['crowd'] as const) : []),
    ],
    hardSec: atStake * stepSec,
  };
}

const doubtOf = (probability: number): number => 4 * probability * (1 - probability);
