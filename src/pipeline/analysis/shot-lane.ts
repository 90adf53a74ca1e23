import { createCurveShotAnalyser } from '../../core/curve-shots.js';
import type { CutCurves } from '../../core/cut-curves.js';
import { modelFreeName } from '../../core/scene-detection.js';
import { type Shot, snapStarts } from '../../core/shot-boundaries.js';
import { createShotAnalyser, type ShotSample } from '../../core/shots.js';
import { createCutReader, type SceneCutModel } from '../../inference/scene-cuts.js';
import type { FrameTime } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';

/** Finds shots while frames go by. */
export type ShotLane = {
  /** What decides in the end: the network's id, or the model-free analyser. */
  readonly name: string;
  push(at: FrameTime, thumbnail: Float32Array): Promise<void>;
  /** Whether tracking should count the frame as the first of a shot; known two frames later. */
  hardCut(frameNumber: number): boolean | undefined;
  /** The shots so far: those of the last 75 frames are the model-free analyser's, until the network has seen them. */
  soFar(): readonly Shot[];
  finish(): Promise<readonly Shot[]>;
  /** What another lane goes on from; not after `finish`. */
  save(): ShotLaneState;
};

/** A lane between two frames. */
export type ShotLaneState = {
  readonly early: unknown;
  /** Of the network, where there is one: thumbnails it has not answered for, its next window, and its shots. */
  readonly late?: {
    readonly waiting: readonly ShotSample[];
    readonly window: readonly Float32Array[];
    readonly shots: unknown;
  };
};

/**
 * The model-free analyser answers at once, for tracking; with a network, its curves decide in the end which cuts there
 * are, and the former on which frame. They come up to 75 frames late, and until then the thumbnails wait.
 *
 * @param model - Absent: the model-free analyser decides.
 * @param saved - Of another lane with the same model; this one goes on from there.
 */
export function createShotLane(
  model: SceneCutModel | undefined,
  stopwatch: Stopwatch,
  saved?: ShotLaneState,
): ShotLane {
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
    name: model?.name ?? modelFreeName,
    async push(at, thumbnail) {
      stopwatch.time('shots', () => early.push({ ...at, thumbnail }));
      if (!late) return;
      waiting.push({ ...at, thumbnail });
      follow(await stopwatch.time('scene cuts', () => late.reader.push(thumbnail)));
    },
    hardCut: frameNumber => early.hardCut(frameNumber),
    soFar() {
      const found = early.soFar();
      return goOn(snapStarts(late?.analyser.soFar() ?? [], found), found);
    },
    async finish() {
      const found = early.finish().shots;
      if (!late) return found;
      follow(await stopwatch.time('scene cuts', () => late.reader.finish()));
      return snapStarts(late.analyser.finish().shots, found);
    },
    save: () => ({
      early: early.save(),
      ...(late && {
        late: { waiting: [...waiting], window: late.reader.save(), shots: late.analyser.save() },
      }),
    }),
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
