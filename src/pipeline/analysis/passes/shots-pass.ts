import { createCurveShotAnalyser } from '../../../core/curve-shots.js';
import type { CutCurves } from '../../../core/cut-curves.js';
import { modelFreeName } from '../../../core/scene-detection.js';
import { lerp } from '../../../core/series.js';
import { type Shot, snapStarts } from '../../../core/shot-boundaries.js';
import { createShotAnalyser, type ShotSample } from '../../../core/shots.js';
import { createCutReader, type SceneCutModel } from '../../../inference/scene-cuts.js';
import type { SceneDetection } from '../../../schema/result.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';

/** Finds shots while frames go by, or knows them. */
export interface ShotsPass extends AnalysisPass {
  /** Whether tracking should count the frame as the first of a shot; where shots are looked for, known two frames later. */
  hardCut(frameNumber: number): boolean | undefined;
}

/** A pass between two frames. */
type ShotsState = {
  readonly early: unknown;
  /**
   * State of the network, where there is one: thumbnails it has not answered for, its next window, and its
   * shots.
   */
  readonly late?: {
    readonly waiting: readonly ShotSample[];
    readonly window: readonly Float32Array[];
    readonly shots: unknown;
  };
};

/** What decides about shots in the end: the network's id, or the model-free analyser. */
export const shotNameOf = (model: SceneCutModel | undefined): string => model?.name ?? modelFreeName;

/**
 * The model-free analyser answers at once, for tracking; with a network, its curves decide in the end which cuts there
 * are, and the former on which frame. They come up to 75 frames late, and until then the thumbnails wait.
 *
 * @param model - Absent: the model-free analyser decides.
 * @param state - Of another pass with the same model; the new pass goes on from there.
 */
export function createShotsPass(
  model: SceneCutModel | undefined,
  stopwatch: Stopwatch,
  state?: unknown,
): ShotsPass {
  const saved = state as ShotsState | undefined;
  const early = createShotAnalyser();
  const late = model && {
    reader: createCutReader(model, saved?.late?.window),
    analyser: createCurveShotAnalyser(),
  };
  const waiting = [...(saved?.late?.waiting ?? [])];
  if (saved) early.load(saved.early);
  if (saved?.late) late?.analyser.load(saved.late.shots);

  const follow = ({ cut, transition }: CutCurves) => {
    for (const [i, sample] of waiting.splice(0, cut.length).entries())
      late!.analyser.push({ ...sample, cut: cut[i]!, transition: transition[i]! });
  };
  return {
    name: 'shots',
    wants: { thumbnail: 'ahead' },
    async take({ frameNumber, timeSec }, { thumbnail }) {
      const sample = { frameNumber, timeSec, thumbnail: thumbnail! };
      stopwatch.time('shots', () => early.push(sample));
      if (!late) return;
      waiting.push(sample);
      follow(await stopwatch.time('scene cuts', () => late.reader.push(sample.thumbnail)));
    },
    hardCut: frameNumber => early.hardCut(frameNumber),
    async partial(endFrame) {
      const found = early.soFar();
      // Those of the last 75 frames are the model-free analyser's, until the network has seen them.
      const shots = goOn(snapStarts(late?.analyser.soFar() ?? [], found), found);
      return { shots: endShots(shots, endFrame) };
    },
    async finish() {
      const found = early.finish().shots;
      if (!late) return { shots: found };
      follow(await stopwatch.time('scene cuts', () => late.reader.finish()));
      return { shots: snapStarts(late.analyser.finish().shots, found) };
    },
    save: (): ShotsState => ({
      early: early.save(),
      ...(late && {
        late: { waiting: [...waiting], window: late.reader.save(), shots: late.analyser.save() },
      }),
    }),
  };
}

/** Shots of a part that exists already. */
export function createKnownShotsPass({ scenes }: SceneDetection): ShotsPass {
  const starts = new Set(scenes.map(scene => scene.start_frame));
  const shots: readonly Shot[] = scenes.map(scene => ({
    startFrame: scene.start_frame,
    endFrame: scene.end_frame,
    startSec: scene.start_time,
    endSec: scene.end_time,
  }));
  return {
    name: 'shots',
    wants: {},
    take: async () => {},
    hardCut: frameNumber => starts.has(frameNumber),
    partial: async () => ({ shots }),
    finish: async () => ({ shots }),
    save: () => undefined,
  };
}

/** Shots that are known to some frame, and from there on those of a list that reaches farther. */
function goOn(known: readonly Shot[], farther: readonly Shot[]): readonly Shot[] {
  const [last, end] = [known.at(-1), farther.at(-1)];
  if (!last || !end) return farther;
  const rest = farther.filter(shot => shot.startFrame >= last.endFrame);
  const next = rest[0];
  const { endFrame, endSec } = next ? { endFrame: next.startFrame, endSec: next.startSec } : end;
  return [...known.slice(0, -1), { ...last, endFrame, endSec }, ...rest];
}

/** Shots are seen ahead of faces: what is told ends where both are known, or new faces would count as brief ones. */
const endShots = (shots: readonly Shot[], endFrame: number): Shot[] =>
  shots
    .filter(shot => shot.startFrame < endFrame)
    .map(shot => {
      if (shot.endFrame <= endFrame) return shot;
      const ratio = (endFrame - shot.startFrame) / (shot.endFrame - shot.startFrame);
      return { ...shot, endFrame, endSec: lerp(shot.startSec, shot.endSec, ratio) };
    });
