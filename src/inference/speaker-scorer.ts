import { gridRateHz } from '../core/face-crops.js';
import type { FaceEvidence, SoundEvidence } from '../core/speaker-evidence.js';
import { createFaceRun, type FaceRun, type SavedFaceRun } from './face-run.js';
import { embeddingSize, type SpeakerModel } from './lr-asd.js';
import { blockFrames, reachFrames, scoreBlock } from './score-windows.js';
import { createSoundEmbeddings, type SoundEmbeddingsState } from './sound-embeddings.js';

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
  readonly runs: readonly (SavedFaceRun & { readonly id: number })[];
};

/** What `decideSpeakers` needs from the speaker model. */
export type ScoredSpeakers = {
  readonly faces: ReadonlyMap<number, FaceEvidence>;
  readonly sound: Pick<SoundEvidence, 'lips'>;
};

/**
 * @param model - Stays the caller's, who closes the model after `finish`.
 * @param saved - State of another scorer; the new scorer goes on from there.
 */
export async function createSpeakerScorer(
  model: SpeakerModel,
  saved?: SpeakerScorerState,
): Promise<SpeakerScorer> {
  const sound = await createSoundEmbeddings(model, saved?.sound);
  const runs = new Map<number, FaceRun>(saved?.runs.map(({ id, ...run }) => [id, createFaceRun(model, run)]));

  /** Scores what can be scored: whole blocks, and the rest of a run that has ended. */
  const scoreReady = async () => {
    let needed = Number.POSITIVE_INFINITY;
    for (const run of runs.values()) {
      for (;;) {
        const count = Math.min(blockFrames, run.waiting);
        const first = run.firstGridFrame + run.scored;
        if (!count || !(run.ended || count === blockFrames)) break;
        if (!sound.ended && sound.knownFrames < first + count + reachFrames) break;
        run.add(await scoreBlock(model, sound, { faces: run.take(count), first }));
      }
      if (!run.ended || run.waiting) needed = Math.min(needed, run.firstGridFrame + run.scored);
    }
    // A run that begins now may begin a good while before the newest sound.
    const latest = sound.knownFrames - soundLeadFrames;
    sound.dropBefore(Math.min(needed, latest) - reachFrames);
  };
  /** One window over all frames: good enough for a preview. */
  const scoreAtOnce = async (faces: Float32Array, first: number) => {
    const moment = new Float32Array(faces.length);
    const count = faces.length / embeddingSize;
    sound.copy(first, count, moment);
    return model.score(faces, moment, count);
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
      const run = runs.get(id) ?? createFaceRun(model, gridFrame);
      runs.set(id, run);
      if (await run.push(crop)) await scoreReady();
    },
    async endRun(id) {
      const run = runs.get(id);
      if (!run || run.ended) return;
      await run.end();
      await scoreReady();
    },
    async soFar() {
      const faces = new Map<number, FaceEvidence>();
      for (const [id, run] of runs) {
        await run.guess(scoreAtOnce, sound.knownFrames);
        faces.set(id, run.soFar());
      }
      return faces;
    },
    async finish() {
      for (const id of runs.keys()) await scorer.endRun(id);
      await scorer.finishSound();
      return {
        faces: new Map([...runs].map(([id, run]) => [id, run.finish()])),
        sound: sound.evidence(),
      };
    },
    save: () => ({
      sound: sound.save(),
      runs: [...runs].map(([id, run]) => ({ ...run.save(), id })),
    }),
  };
  return scorer;
}
