import { gridRateHz } from '../core/face-crops.js';
import { concat } from '../core/series.js';
import type { FaceEvidence, SoundEvidence } from '../core/speaker-evidence.js';
import { embeddingSize, faceHaloFrames, type SpeakerModel, speakerCropSpec } from './lr-asd.js';
import { createSoundEmbeddings, type SoundEmbeddingsState } from './sound-embeddings.js';
import { createSyncProjector, type SyncProjector, type SyncProjectorState } from './sync-projector.js';

const cropSize = speakerCropSpec.width * speakerCropSpec.height;
/** New frames per run of the face encoder; the halo costs 18 % at this length, memory grows with it. */
const chunkFrames = 100;
/** Windows of 1…6 s, as the reference script averages them. */
const windowsSec = [1, 2, 3, 4, 5, 6] as const;
/** Frames scored together: a common multiple of all windows, so that streaming changes nothing. */
const blockFrames = 60 * gridRateHz;
/** Wrong moments of the sound to hold against the face, in frames: far enough to be another syllable. */
const shiftsFrames = [-40, -25, -15, 15, 25, 40] as const;
const reachFrames = 40;
/** How far sound may run ahead of the faces: a minute, 0.8 MB. */
const soundLeadFrames = 60 * gridRateHz;

/** Measures how well faces fit the sound while both stream in. Await each call before the next. */
export interface SpeakerScorer {
  /** @param samples - The next 16 kHz mono samples in ±1; the first is grid frame 0. May run a minute ahead of the faces. */
  pushSound(samples: Float32Array): Promise<void>;
  finishSound(): Promise<void>;
  /**
   * @param run - One unbroken stretch of a face track; a number of the caller's choice.
   * @param gridFrame - 25 Hz frame; each run's frames come in order without gaps.
   * @param crop - Grey 0–255, 112×112, cut by `speakerCropSpec`.
   */
  pushCrop(run: number, gridFrame: number, crop: Float32Array): Promise<void>;
  endRun(run: number): Promise<void>;
  /**
   * What is known of each run by now, for a preview: the newest minute is scored over one short window and without
   * wrong moments of the sound, and does not change what `finish` gives.
   */
  soFar(): Promise<ReadonlyMap<number, FaceEvidence>>;
  /** Ends everything. @returns The evidence of each run and of the sound. */
  finish(): Promise<ScoredSpeakers>;
  /** What another scorer goes on from; not after `finish`. */
  save(): SpeakerScorerState;
}

/** A scorer between two calls: what is finished grows by 1 kB per second and face, what waits by nothing. */
export type SpeakerScorerState = {
  readonly sound: SoundEmbeddingsState;
  readonly runs: readonly SavedRun[];
};

/** What `decideSpeakers` needs from the speaker model. */
export type ScoredSpeakers = {
  readonly faces: ReadonlyMap<number, FaceEvidence>;
  readonly sound: SoundEvidence;
};

type RunState = {
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
type SavedRun = Readonly<RunState> & { readonly id: number; readonly lips: SyncProjectorState };
type Run = RunState & {
  /** Preliminary scores of the first of `faces`; a scorer that goes on makes them anew. */
  guessed: number[];
  readonly lips: SyncProjector;
};

/**
 * @param model - Stays the caller's: close it after `finish`.
 * @param saved - Of another scorer; this one goes on from there.
 */
export async function createSpeakerScorer(
  model: SpeakerModel,
  saved?: SpeakerScorerState,
): Promise<SpeakerScorer> {
  const sound = await createSoundEmbeddings(model, saved?.sound);
  const openRun = ({ id, lips, ...state }: SavedRun): [number, Run] => [
    id,
    { ...copyRun(state), guessed: [], lips: createSyncProjector(model.sync?.faces, lips) },
  ];
  const runs = new Map<number, Run>(saved?.runs.map(openRun));

  const embed = async (run: Run, count: number) => {
    const input = new Float32Array(run.crops.length * cropSize);
    run.crops.forEach((crop, i) => {
      input.set(crop, i * cropSize);
    });
    const dims = [1, run.crops.length, speakerCropSpec.height, speakerCropSpec.width];
    const output = await model.embedFaces({ kind: 'cpu', dims, data: input });
    for (let i = run.done; i < run.done + count; i++) {
      const face = output.slice(i * embeddingSize, (i + 1) * embeddingSize);
      run.faces.push(face);
      run.lips.push(face);
    }
    const drop = Math.max(0, run.done + count - faceHaloFrames);
    run.crops = run.crops.slice(drop);
    run.done += count - drop;
  };

  /** Scores what can be scored: whole blocks, and the rest of a run that has ended. */
  const scoreReady = async () => {
    let needed = Number.POSITIVE_INFINITY;
    for (const run of runs.values()) {
      for (;;) {
        const count = Math.min(blockFrames, run.faces.length);
        const first = run.firstGridFrame + run.scored;
        if (!count || !(run.ended || count === blockFrames)) break;
        if (!sound.ended && sound.knownFrames < first + count + reachFrames) break;
        const faces = new Float32Array(count * embeddingSize);
        run.faces.splice(0, count).forEach((face, i) => {
          faces.set(face, i * embeddingSize);
        });
        run.scored += count;
        run.guessed.splice(0, count);
        await scoreBlock(run, faces, first);
      }
      if (!run.ended || run.faces.length) needed = Math.min(needed, run.firstGridFrame + run.scored);
    }
    // A run that begins now may begin a good while before the newest sound.
    const latest = sound.knownFrames - soundLeadFrames;
    sound.dropBefore(Math.min(needed, latest) - reachFrames);
  };

  const scoreBlock = async (run: Run, faces: Float32Array, first: number) => {
    const count = faces.length / embeddingSize;
    const moment = new Float32Array(faces.length);
    sound.copy(first, count, moment);
    run.score.push(await windowedScore(model, faces, moment));
    const sum = new Float32Array(count);
    const weight = new Float32Array(count);
    for (const shift of shiftsFrames) {
      sound.copy(first + shift, count, moment);
      const scores = await windowedScore(model, faces, moment);
      for (let i = 0; i < count; i++) {
        const frame = first + i + shift;
        if (frame < 0 || frame >= sound.knownFrames) continue;
        sum[i]! += scores[i]!;
        weight[i]!++;
      }
    }
    run.shifted.push(sum.map((value, i) => (weight[i] ? value / weight[i]! : Number.NaN)));
  };

  /** Scores what is embedded and waits for its block, at most once per frame. */
  const guess = async (run: Run) => {
    const first = run.firstGridFrame + run.scored + run.guessed.length;
    const known = Math.max(0, sound.knownFrames - first);
    const count = Math.min(run.faces.length - run.guessed.length, known);
    if (!count) return;
    const faces = new Float32Array(count * embeddingSize);
    for (let i = 0; i < count; i++) faces.set(run.faces[run.guessed.length + i]!, i * embeddingSize);
    const moment = new Float32Array(faces.length);
    sound.copy(first, count, moment);
    run.guessed.push(...(await model.score(faces, moment, count)));
  };

  const scorer: SpeakerScorer = {
    async pushSound(samples) {
      await sound.push(samples);
      await scoreReady();
    },
    async finishSound() {
      if (!sound.ended) await sound.finish();
      await scoreReady();
    },
    async pushCrop(id, gridFrame, crop) {
      let run = runs.get(id);
      if (!run) {
        run = {
          firstGridFrame: gridFrame,
          crops: [],
          done: 0,
          faces: [],
          scored: 0,
          guessed: [],
          ended: false,
          score: [],
          shifted: [],
          lips: createSyncProjector(model.sync?.faces),
        };
        runs.set(id, run);
      }
      run.crops.push(Uint8Array.from(crop, Math.round));
      if (run.crops.length < run.done + chunkFrames + faceHaloFrames) return;
      await embed(run, chunkFrames);
      await scoreReady();
    },
    async endRun(id) {
      const run = runs.get(id);
      if (!run || run.ended) return;
      await embed(run, run.crops.length - run.done);
      run.crops = [];
      run.ended = true;
      await scoreReady();
    },
    async soFar() {
      const faces = new Map<number, FaceEvidence>();
      for (const [id, run] of runs) {
        await guess(run);
        const score = concat([...run.score, Float32Array.from(run.guessed)]);
        const shifted = new Float32Array(score.length).fill(Number.NaN);
        shifted.set(concat(run.shifted));
        faces.set(id, { firstGridFrame: run.firstGridFrame, score, shifted, lips: new Float32Array() });
      }
      return faces;
    },
    async finish() {
      for (const id of runs.keys()) await scorer.endRun(id);
      await scorer.finishSound();
      const faces = new Map<number, FaceEvidence>();
      for (const [id, { firstGridFrame, score, shifted, lips }] of runs) {
        faces.set(id, {
          firstGridFrame,
          score: concat(score),
          shifted: concat(shifted),
          lips: lips.finish(),
        });
      }
      return { faces, sound: sound.evidence() };
    },
    save: () => ({
      sound: sound.save(),
      runs: [...runs].map(([id, run]) => {
        run.score = [concat(run.score)];
        run.shifted = [concat(run.shifted)];
        const { guessed: _, lips, ...state } = run;
        return { ...copyRun(state), id, lips: lips.save() };
      }),
    }),
  };
  return scorer;
}

/** A copy that may grow on its own; the arrays of numbers never change and are shared. */
const copyRun = (run: Readonly<RunState>): RunState => ({
  ...run,
  crops: [...run.crops],
  faces: [...run.faces],
  score: [...run.score],
  shifted: [...run.shifted],
});

/** Mean over windows of 1…6 s, each cut from the start and scored on its own. */
export async function windowedScore(
  model: SpeakerModel,
  faces: Float32Array,
  sound: Float32Array,
): Promise<Float32Array> {
  const count = faces.length / embeddingSize;
  const total = new Float32Array(count);
  const add = async (from: number, to: number, windowFrames: number) => {
    if (from === to) return;
    const range = [from * embeddingSize, to * embeddingSize] as const;
    const scores = await model.score(faces.slice(...range), sound.slice(...range), windowFrames);
    scores.forEach((value, i) => {
      total[from + i]! += value / windowsSec.length;
    });
  };
  for (const sec of windowsSec) {
    const windowFrames = sec * gridRateHz;
    const whole = count - (count % windowFrames);
    await add(0, whole, windowFrames);
    await add(whole, count, count - whole);
  }
  return total;
}
