import { createFeatureStream, type FeatureState, featureSize } from '../core/audio-features.js';
import { concat } from '../core/series.js';
import type { SoundEvidence } from '../core/speaker-evidence.js';
import { embeddingSize, type SpeakerModel, soundHaloFrames } from './lr-asd.js';
import { createSyncProjector, type SyncProjectorState } from './sync-projector.js';

/** Feature rows per 25 Hz frame. */
const rowsPerFrame = 4;
/** Frames embedded at a time: one second, so that faces seldom wait for their sound. */
const chunkFrames = 25;
/** Features of digital silence: log of the float64 epsilon, a flat spectrum. */
const silentEnergy = Math.log(2 ** -52);

/** Sound as embeddings at 25 frames per second; keeps only what is still needed. */
export interface SoundEmbeddings {
  /** @param samples - The next 16 kHz mono samples in ±1. */
  push(samples: Float32Array): Promise<void>;
  /** Ends the sound. */
  finish(): Promise<void>;
  /** Frames whose embedding is known: all before this frame. */
  readonly knownFrames: number;
  readonly ended: boolean;
  /** Copies frames `from`…`from + count` to `out`; frames outside of the sound are silence. */
  copy(from: number, count: number, out: Float32Array): void;
  /** What decisions need of the sound; once, after `finish`. */
  evidence(): Pick<SoundEvidence, 'lips'>;
  /** Forgets frames before this frame. */
  dropBefore(frame: number): void;
  /** What another one goes on from; not after `finish`. */
  save(): SoundEmbeddingsState;
}

/** Sound between two pushes. */
export type SoundEmbeddingsState = {
  readonly features: FeatureState;
  /** Feature rows from frame `rowsFrom` on, and embeddings from frame `keptFrom` on. */
  readonly rows: Float32Array;
  readonly rowsFrom: number;
  readonly kept: Float32Array;
  readonly keptFrom: number;
  readonly lips: SyncProjectorState;
};

/**
 * Embeds sound in overlapping chunks, which gives exactly what one pass over all of it would give.
 *
 * @param saved - State of other embeddings; the new embeddings go on from there.
 */
export async function createSoundEmbeddings(
  model: SpeakerModel,
  saved?: SoundEmbeddingsState,
): Promise<SoundEmbeddings> {
  const features = createFeatureStream(saved?.features);
  const silence = await embedSilence(model);
  let { rows, rowsFrom, kept, keptFrom } = saved ?? {
    rows: new Float32Array(0),
    rowsFrom: 0,
    kept: new Float32Array(0),
    keptFrom: 0,
  };
  let ended = false;
  const lips = createSyncProjector(model.sync?.sound, saved?.lips);

  const known = () => keptFrom + kept.length / embeddingSize;
  const embed = async (end: number) => {
    const from = known();
    if (end <= from) return;
    const haloEnd = Math.min(rowsFrom + rows.length / featureSize / rowsPerFrame, end + soundHaloFrames);
    const at = (frame: number) => (frame - rowsFrom) * rowsPerFrame * featureSize;
    const output = await model.embedSound(rows.slice(0, at(haloEnd)));
    const fresh = output.subarray((from - rowsFrom) * embeddingSize, (end - rowsFrom) * embeddingSize);
    kept = concat([kept, fresh]);
    for (let i = 0; i < fresh.length; i += embeddingSize) lips.push(fresh.subarray(i, i + embeddingSize));
    const next = Math.max(0, end - soundHaloFrames);
    rows = rows.slice(at(next));
    rowsFrom = next;
  };

  return {
    get knownFrames() {
      return known();
    },
    get ended() {
      return ended;
    },
    async push(samples) {
      const fresh = features.push(samples);
      rows = concat([rows, Float32Array.from(fresh)]);
      for (;;) {
        const complete = rowsFrom + Math.floor(rows.length / featureSize / rowsPerFrame);
        if (complete < known() + chunkFrames + soundHaloFrames) return;
        await embed(known() + chunkFrames);
      }
    },
    async finish() {
      const tail = features.finish();
      const total = rowsFrom + Math.ceil((rows.length + tail.length) / featureSize / rowsPerFrame);
      // The last frame may lack a row or two of its four.
      const padded = new Float32Array((total - rowsFrom) * rowsPerFrame * featureSize);
      for (let i = 0; i < padded.length; i += featureSize) padded[i] = silentEnergy;
      padded.set(rows);
      padded.set(tail, rows.length);
      rows = padded;
      await embed(total);
      ended = true;
    },
    copy(from, count, out) {
      for (let i = 0; i < count; i++) {
        const at = from + i - keptFrom;
        const inside = at >= 0 && at < kept.length / embeddingSize;
        const source = inside ? kept.subarray(at * embeddingSize, (at + 1) * embeddingSize) : silence;
        out.set(source, i * embeddingSize);
      }
    },
    evidence: () => ({ lips: lips.finish() }),
    dropBefore(frame) {
      const drop = Math.min(Math.max(0, frame - keptFrom), kept.length / embeddingSize);
      if (!drop) return;
      kept = kept.slice(drop * embeddingSize);
      keptFrom += drop;
    },
    save: () => ({ rows, rowsFrom, kept, keptFrom, features: features.save(), lips: lips.save() }),
  };
}

/** What the encoder says in the middle of a silence longer than it can see. */
async function embedSilence(model: SpeakerModel): Promise<Float32Array> {
  const frames = 2 * soundHaloFrames + 1;
  const rows = new Float32Array(frames * rowsPerFrame * featureSize);
  for (let i = 0; i < rows.length; i += featureSize) rows[i] = silentEnergy;
  const output = await model.embedSound(rows);
  return output.slice(soundHaloFrames * embeddingSize, (soundHaloFrames + 1) * embeddingSize);
}
