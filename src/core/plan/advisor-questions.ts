import { type AdvisorQuestion, maxNumberedFaces, maxWordsLength } from '../../schema/advice.js';
import type { NormBox, PixelBox, Size } from '../../schema/geometry.js';
import { type Layout, layouts, type PlanRequest, type Segment } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { joinWords } from '../write-transcription.js';
import { rankFaces } from './choose-views.js';
import { type DifficultScene, difficultScenes } from './difficult-scenes.js';
import { at, idAt, isSeen } from './faces.js';
import { frameShot } from './frame-shot.js';
import { factsOf, viewsFor } from './plan-views.js';
import type { ShotScene } from './shot-scene.js';
import { shotScenes } from './shot-scenes.js';
import type { PlanScope } from './timeline.js';

/**
 * What an advisor may be asked about the plan of a request: a closed question for each difficult stretch, the hardest
 * first. None where the request leaves nothing to choose (`camera: 'center'`, a `layout` other than `auto`), where only
 * one layout is possible, or where an override says already what is shown. Nobody is asked who speaks.
 *
 * @param questionsPerMin - At most so many per started minute of the planned frames.
 * @throws TypeError as `planCrop` does.
 */
export function advisorQuestions(
  parts: AnalysisParts,
  request: PlanRequest,
  { questionsPerMin, ...scope }: PlanScope & { readonly questionsPerMin: number },
): AdvisorQuestion[] {
  if (request.layout !== 'auto' || request.camera === 'center') return [];
  const { timeline, shots } = shotScenes(parts, request, scope);
  const durationSec =
    timeline.timeSec(timeline.firstFrame + timeline.frameCount) - timeline.timeSec(timeline.firstFrame);
  return shots
    .flatMap(scene => {
      const segments = frameShot(scene);
      return difficultScenes(scene, segments).flatMap(difficult => {
        const question = questionOf(difficult, segments, { scene, parts });
        return question ? [{ question, hardSec: difficult.hardSec }] : [];
      });
    })
    .sort((a, b) => b.hardSec - a.hardSec)
    .slice(0, Math.floor(questionsPerMin * Math.ceil(durationSec / 60)))
    .map(({ question }) => question);
}

function questionOf(
  { start, end, why }: DifficultScene,
  segments: readonly Segment[],
  { scene, parts }: { scene: ShotScene; parts: AnalysisParts },
): AdvisorQuestion | undefined {
  const { shot, timeline, faces, presented, output } = scene;
  const facts = factsOf(scene);
  const ranks = rankFaces(scene, facts);
  const moment = fullestMoment(scene, start, end);
  const numbered = facesSeen(scene, moment)
    .sort((a, b) => ranks[a]! - ranks[b]!)
    .slice(0, maxNumberedFaces);
  const screen = presented.find(timed => timed.start <= moment && moment < timed.end)?.box;
  const views = viewsFor(numbered, screen, { scene, facts, ranks });
  const possible = layouts.filter(layout => views.some(view => view.layout === layout));
  if (possible.length < 2 || numbered.length < 2) return undefined;
  const boxed = numbered
    .map(f => ({ faceId: idAt(faces[f]!, moment), box: ratioOf(boxAt(scene, f, moment), timeline) }))
    .sort((a, b) => a.box.x - b.box.x);
  const [startSec, endSec] = [timeline.timeSec(shot.start + start), timeline.timeSec(shot.start + end)];
  const words = wordsWithin(parts, startSec, endSec);
  return {
    sceneId: shot.sceneId,
    startSec,
    endSec,
    timeSec: timeline.timeSec(shot.start + moment),
    why,
    source: { width: timeline.width, height: timeline.height },
    output,
    faces: boxed.map((face, i) => ({ number: i + 1, ...face })),
    ...(screen && { screen: ratioOf(screen, timeline) }),
    layouts: possible,
    planned: longestShown(segments, shot.start + start, shot.start + end),
    ...(words && { words }),
  };
}

const facesSeen = ({ faces, roles }: ShotScene, frame: number): number[] =>
  faces.flatMap((face, f) => (roles[f]!.role !== 'ignore' && isSeen(face, frame) ? [f] : []));

/** Moments that are looked at for {@link fullestMoment}. */
const maxMoments = 41;

/** The frame in which most faces are seen; of those the nearest to the middle. */
function fullestMoment(scene: ShotScene, start: number, end: number): number {
  const middle = (start + end) >> 1;
  const stride = Math.max(1, Math.ceil((end - start) / maxMoments));
  let [best, most] = [middle, facesSeen(scene, middle).length];
  for (let way = stride; middle - way >= start || middle + way < end; way += stride)
    for (const frame of [middle - way, middle + way]) {
      const count = frame >= start && frame < end ? facesSeen(scene, frame).length : 0;
      if (count > most) [best, most] = [frame, count];
    }
  return best;
}

function boxAt({ faces }: ShotScene, f: number, frame: number): PixelBox {
  const face = faces[f]!;
  const { x, y, width, height } = face;
  return {
    x: at(face, x, frame),
    y: at(face, y, frame),
    width: at(face, width, frame),
    height: at(face, height, frame),
  };
}

/** A thousandth of the picture is finer than anybody answers. */
function ratioOf(box: PixelBox, { width, height }: Size): NormBox {
  const round = (value: number) => Math.round(value * 1000) / 1000;
  return {
    x: round(box.x / width),
    y: round(box.y / height),
    width: round(box.width / width),
    height: round(box.height / height),
  };
}

function longestShown(segments: readonly Segment[], start: number, end: number): Layout {
  const frames = new Map<Layout, number>();
  for (const { layout, start_frame, end_frame } of segments) {
    const common = Math.min(end, end_frame) - Math.max(start, start_frame);
    if (common > 0) frames.set(layout, (frames.get(layout) ?? 0) + common);
  }
  return [...frames].sort((a, b) => b[1] - a[1])[0]![0];
}

function wordsWithin({ transcription }: AnalysisParts, startSec: number, endSec: number): string {
  const said = transcription?.words.filter(({ start, end }) => end > startSec && start < endSec) ?? [];
  const text = joinWords(said);
  return text.length > maxWordsLength ? `${text.slice(0, maxWordsLength - 1)}…` : text;
}
