import { concat } from '../core/series.js';
import type { FaceEvidence } from '../core/speaker-evidence.js';
import { embeddingSize, faceHaloFrames, type SpeakerModel, speakerCropSpec } from './lr-asd.js';
import type { BlockScores } from './score-windows.js';
import { createSyncProjector, type SyncProjectorState } from './sync-projector.js';

const cropSize = speakerCropSpec.width * speakerCropSpec.height;
/** New frames per run of the face encoder; the halo costs 18 % at this length, memory grows with it. */
const chunkFrames = 100;

/** One unbroken stretch of a face track on its way through the speaker model. */
export interface FaceRun {
  readonly firstGridFrame: number;
  /** Frames that have their final scores. */
  readonly scored: number;
  /** Embedded frames that wait for theirs. */
  readonly waiting: number;
  readonly ended: boolean;
  /**
   * @param crop - Grey 0–255, 112×112.
   * @returns Whether frames were embedded.
   */
  push(crop: Float32Array): Promise<boolean>;
  /** Embeds what is left; there are no more crops. */
  end(): Promise<void>;
  /** Takes the first embeddings that wait: `[count, embeddingSize]`. Their scores come by `add`. */
  take(count: number): Float32Array;
  add(scores: BlockScores): void;
  /** Preliminary scores of frames that wait, at most once per frame, as far as the sound is known. */
  guess(
    score: (faces: Float32Array, first: number) => Promise<Float32Array>,
    knownFrames: number,
  ): Promise<void>;
  /** What is known by now, guesses among it. */
  soFar(): FaceEvidence;
  finish(): FaceEvidence;
  save(): SavedFaceRun;
}

type State = {
  readonly firstGridFrame: number;
  /** Crops that the encoder has not finished with, as bytes: the reference rounds them too. */
  crops: Uint8Array[];
  /** Of `crops`, how many were embedded already and stay as halo. */
  done: number;
  /** Embeddings not yet scored; `scored` frames came before them. */
  faces: Float32Array[];
  scored: number;
  ended: boolean;
  /** What is finished, in parts. */
  score: Float32Array[];
  shifted: Float32Array[];
};
/** A run between two crops. */
export type SavedFaceRun = Readonly<State> & { readonly lips: SyncProjectorState };

/** @param from - The 25 Hz frame of the first crop, or what another run saved: the new run goes on from there. */
export function createFaceRun(model: SpeakerModel, from: number | SavedFaceRun): FaceRun {
  const saved = typeof from === 'number' ? undefined : from;
  const run: State = saved ? copyOf(saved) : begin(from as number);
  const lips = createSyncProjector(model.sync?.faces, saved?.lips);
  /** Scores of the first of `faces` that will come again; a run that goes on makes them anew. */
  const guessed: number[] = [];

  const embed = async (count: number) => {
    const input = new Float32Array(run.crops.length * cropSize);
    run.crops.forEach((crop, i) => {
      input.set(crop, i * cropSize);
    });
    const dims = [1, run.crops.length, speakerCropSpec.height, speakerCropSpec.width];
    const output = await model.embedFaces({ kind: 'cpu', dims, data: input });
    for (let i = run.done; i < run.done + count; i++) {
      const face = output.slice(i * embeddingSize, (i + 1) * embeddingSize);
      run.faces.push(face);
      lips.push(face);
    }
    const drop = Math.max(0, run.done + count - faceHaloFrames);
    run.crops = run.crops.slice(drop);
    run.done += count - drop;
  };

  return {
    firstGridFrame: run.firstGridFrame,
    get scored() {
      return run.scored;
    },
    get waiting() {
      return run.faces.length;
    },
    get ended() {
      return run.ended;
    },
    async push(crop) {
      run.crops.push(Uint8Array.from(crop, Math.round));
      if (run.crops.length < run.done + chunkFrames + faceHaloFrames) return false;
      await embed(chunkFrames);
      return true;
    },
    async end() {
      await embed(run.crops.length - run.done);
      run.crops = [];
      run.ended = true;
    },
    take(count) {
      const faces = join(run.faces.splice(0, count));
      run.scored += count;
      guessed.splice(0, count);
      return faces;
    },
    add({ score, shifted }) {
      run.score.push(score);
      run.shifted.push(shifted);
    },
    async guess(score, knownFrames) {
      const first = run.firstGridFrame + run.scored + guessed.length;
      const count = Math.min(run.faces.length - guessed.length, Math.max(0, knownFrames - first));
      if (!count) return;
      guessed.push(...(await score(join(run.faces.slice(guessed.length, guessed.length + count)), first)));
    },
    soFar() {
      const score = concat([...run.score, Float32Array.from(guessed)]);
      const shifted = new Float32Array(score.length).fill(Number.NaN);
      shifted.set(concat(run.shifted));
      return { firstGridFrame: run.firstGridFrame, score, shifted, lips: new Float32Array() };
    },
    finish: () => ({
      firstGridFrame: run.firstGridFrame,
      score: concat(run.score),
      shifted: concat(run.shifted),
      lips: lips.finish(),
    }),
    save() {
      run.score = [concat(run.score)];
      run.shifted = [concat(run.shifted)];
      return { ...copyOf(run), lips: lips.save() };
    },
  };
}

const begin = (firstGridFrame: number): State => ({
  firstGridFrame,
  crops: [],
  done: 0,
  faces: [],
  scored: 0,
  ended: false,
  score: [],
  shifted: [],
});

/** A copy that may grow on its own; the arrays of numbers never change and are shared. */
const copyOf = ({ firstGridFrame, done, scored, ended, ...lists }: Readonly<State>): State => ({
  ...{ firstGridFrame, done, scored, ended },
  crops: [...lists.crops],
  faces: [...lists.faces],
  score: [...lists.score],
  shifted: [...lists.shifted],
});

function join(faces: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(faces.length * embeddingSize);
  faces.forEach((face, i) => {
    joined.set(face, i * embeddingSize);
  });
  return joined;
}
