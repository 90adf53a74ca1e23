import type { CutCurves } from '../core/cut-curves.js';
import type { Session } from './session.js';

/** Frames that the network sees at a time. */
export const cutWindowFrames = 100;
/** Frames at either end of a window whose answers are not used: the network sees 23 frames to each side. */
export const cutHaloFrames = 25;

/** Numbers in a thumbnail: `[27, 48, 3]`. */
const thumbnailLength = 27 * 48 * 3;

/** A network that judges which frames begin a shot. */
export interface SceneCutModel {
  /** The model's id. */
  readonly name: string;
  /**
   * @param thumbnails - {@link cutWindowFrames} thumbnails of frames that follow one another, float32 `[27, 48, 3]`,
   * RGB 0–1. Answers near the ends are poor; see {@link createCutReader}.
   * @returns Probabilities for each of them.
   */
  run(thumbnails: readonly Float32Array[]): Promise<CutCurves>;
  close(): Promise<void>;
}

/**
 * Reads a network of the TransNet family: `[1, 100, 27, 48, 3]`, RGB 0–255, to one logit per frame and output.
 *
 * Two forms are known by their outputs. With the names `cut` and `transition` a cut is said of the first frame of the
 * new shot. Any other file counts as one of TransNet V2 (Souček and Lokoč, 2020), whose first output means the last
 * frame of the old shot, and whose second, where there is one, all frames of a transition.
 *
 * @param session - Of such a network.
 * @param name - Its id.
 */
export function createSceneCutModel(session: Session, name: string): SceneCutModel {
  const [input] = session.inputNames;
  const saysFirstFrame = session.outputNames.includes('cut');
  const [cutName, transitionName] = saysFirstFrame ? ['cut', 'transition'] : session.outputNames;
  return {
    name,
    async run(thumbnails) {
      const data = new Float32Array(cutWindowFrames * thumbnailLength);
      for (const [i, thumbnail] of thumbnails.entries()) {
        for (let j = 0; j < thumbnailLength; j++) data[i * thumbnailLength + j] = thumbnail[j]! * 255;
      }
      const dims = [1, cutWindowFrames, 27, 48, 3];
      const outputs = await session.run({ [input!]: { kind: 'cpu', dims, data } });
      const cut = outputs[cutName!]!.data.map(probability);
      const transition = transitionName && outputs[transitionName]?.data.map(probability);
      return {
        cut: saysFirstFrame ? cut : Float32Array.of(0, ...cut.subarray(0, -1)),
        transition: transition || new Float32Array(cutWindowFrames),
      };
    },
    close: () => session.close(),
  };
}

const probability = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** Probabilities of a whole video, window by window. */
export interface CutReader {
  /**
   * Takes the next frame's thumbnail.
   *
   * @returns Probabilities of the frames that are now known, in order from the first; often none.
   */
  push(thumbnail: Float32Array): Promise<CutCurves>;
  /** Ends the video. @returns Probabilities of the frames that are left. */
  finish(): Promise<CutCurves>;
  /** What another reader goes on from: the frames of the next window so far. */
  save(): readonly Float32Array[];
}

/**
 * Runs a model over a video of any length. Windows overlap so that each answer has {@link cutHaloFrames} frames around
 * it; before the first frame and after the last these are repeated. A frame is answered at most 75 frames later.
 *
 * @param saved - State of another reader; the new reader goes on from there.
 */
export function createCutReader(
  model: Pick<SceneCutModel, 'run'>,
  saved: readonly Float32Array[] = [],
): CutReader {
  const step = cutWindowFrames - 2 * cutHaloFrames;
  const repeat = (thumbnail: Float32Array, count: number) => Array<Float32Array>(count).fill(thumbnail);
  /** The frames of the next window so far, the halo before it included. */
  let window = [...saved];

  const read = async (wanted: number): Promise<CutCurves> => {
    const last = window.at(-1)!;
    const { cut, transition } = await model.run([
      ...window,
      ...repeat(last, cutWindowFrames - window.length),
    ]);
    window = window.slice(step);
    const answers = (curve: Float32Array) => curve.slice(cutHaloFrames, cutHaloFrames + wanted);
    return { cut: answers(cut), transition: answers(transition) };
  };

  return {
    async push(thumbnail) {
      if (!window.length) window = repeat(thumbnail, cutHaloFrames);
      window.push(thumbnail);
      return window.length === cutWindowFrames ? read(step) : noCurves;
    },
    async finish() {
      let wanted = window.length - cutHaloFrames;
      const parts: CutCurves[] = [];
      for (; wanted > 0; wanted -= step) parts.push(await read(Math.min(wanted, step)));
      return {
        cut: Float32Array.from(parts.flatMap(part => [...part.cut])),
        transition: Float32Array.from(parts.flatMap(part => [...part.transition])),
      };
    },
    save: () => [...window],
  };
}

const noCurves: CutCurves = { cut: new Float32Array(0), transition: new Float32Array(0) };
