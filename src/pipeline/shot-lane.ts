import { createCurveShotAnalyser } from '../core/curve-shots.js';
import type { CutCurves } from '../core/cut-curves.js';
import { modelFreeName } from '../core/scene-detection.js';
import type { Shot } from '../core/shot-boundaries.js';
import { createShotAnalyser, type ShotSample } from '../core/shots.js';
import { createCutReader, type SceneCutModel } from '../inference/scene-cuts.js';
import type { FrameTime } from '../schema/time.js';
import type { Stopwatch } from './stopwatch.js';

/** Finds shots while frames go by. */
export type ShotLane = {
  /** What decides in the end: the network's id, or the model-free analyser. */
  readonly name: string;
  push(at: FrameTime, thumbnail: Float32Array): Promise<void>;
  /** Whether tracking should count the frame as the first of a shot; known two frames later. */
  hardCut(frameNumber: number): boolean | undefined;
  /** Shots as the model-free analyser has them so far. */
  soFar(): readonly Shot[];
  finish(): Promise<readonly Shot[]>;
};

/**
 * The model-free analyser answers at once, for tracking; with a network, its curves decide in the end. They come up to
 * 75 frames late, and until then the thumbnails wait.
 *
 * @param model - Absent: the model-free analyser decides.
 */
export function createShotLane(model: SceneCutModel | undefined, stopwatch: Stopwatch): ShotLane {
  const early = createShotAnalyser();
  const late = model && { reader: createCutReader(model), analyser: createCurveShotAnalyser() };
  const waiting: ShotSample[] = [];

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
    soFar: () => early.soFar(),
    async finish() {
      if (!late) return early.finish().shots;
      follow(await stopwatch.time('scene cuts', () => late.reader.finish()));
      return late.analyser.finish().shots;
    },
  };
}
