import { featureSize } from '../core/audio-features.js';
import { syncSize } from '../core/speaker-evidence.js';
import type { CropSpec, Sample } from '../sampling/sampler.js';
import { lrAsdSync, type SyncProjection } from './lr-asd-sync.js';
import type { Session } from './session.js';

/** How face crops are cut: grey 0–255, lower face (see `lowerFace` in core). */
export const speakerCropSpec: CropSpec = { width: 112, height: 112, padValue: 110 };
/** Numbers in one embedding, of a face or of sound. */
export const embeddingSize = 128;
/** Most frames that a face encoder sees on each side of one: with them, chunks concatenate exactly (ours 9, LR-ASD 9, Light-ASD 6). */
export const faceHaloFrames = 9;
/** Most 25 Hz frames that a sound encoder sees on each side of one (ours 5, LR-ASD 6, Light-ASD 5). */
export const soundHaloFrames = 6;

/**
 * A speaker model as three networks: ours, LR-ASD or Light-ASD. The two encoders look at a short stretch around
 * each frame; the back end listens over whole windows, so it decides what a window's length means.
 */
export interface SpeakerModel {
  /** The family's id. */
  readonly name: string;
  /** How its embeddings are compared directly; absent for Light-ASD, whose decisions then rest on scores alone. */
  readonly sync?: SyncProjection;
  /** @param crops - float32 `[1, T, 112, 112]`, grey 0–255, 25 per second. @returns `[T, 128]`. */
  embedFaces(crops: Sample): Promise<Float32Array>;
  /** @param features - float32 `[4T, 13]`, 100 rows per second. @returns `[T, 128]`. */
  embedSound(features: Float32Array): Promise<Float32Array>;
  /**
   * Scores windows of equal length on their own.
   *
   * @param faces - `[B, T, 128]`; @param sound - `[B, T, 128]`; @param windowFrames - T.
   * @returns Raw logits `[B, T]`: above 0 the face speaks.
   */
  score(faces: Float32Array, sound: Float32Array, windowFrames: number): Promise<Float32Array>;
  close(): Promise<void>;
}

/** The three sessions of a speaker model. The back end may be a recurrent network: run it on `wasm`. */
export type SpeakerSessions = {
  /** Default `lr-asd`. */
  readonly family?: 'edge-speaker' | 'lr-asd' | 'light-asd';
  /** `video` f32[B,T,112,112] → `visual` [B,T,128] */
  readonly visual: Session;
  /** `audio` f32[B,4T,13] → `audio_embed` [B,T,128] */
  readonly audio: Session;
  /** `audio_embed`, `visual` → `score` [B,T] */
  readonly backend: Session;
};

/** How the embeddings of each family are compared directly. */
const projections = { 'edge-speaker': leadingSync, 'lr-asd': lrAsdSync, 'light-asd': undefined } as const;

/** For embeddings that begin with the numbers to compare, as ours do. */
function leadingSync(): SyncProjection {
  const matrix = new Float32Array(3 * embeddingSize * syncSize);
  for (let i = 0; i < syncSize; i++) matrix[(embeddingSize + i) * syncSize + i] = 1;
  return { faces: matrix, sound: matrix };
}

/** Joins three sessions into a speaker model, which owns them from then on. */
export function createSpeakerModel(sessions: SpeakerSessions): SpeakerModel {
  const { visual, audio, backend } = sessions;
  const name = sessions.family ?? 'lr-asd';
  const sync = projections[name];
  const tensor = (dims: readonly number[], data: Float32Array): Sample => ({ kind: 'cpu', dims, data });
  return {
    name,
    ...(sync && { sync: sync() }),
    async embedFaces(crops) {
      const { visual: output } = await visual.run({ video: crops });
      return output!.data;
    },
    async embedSound(features) {
      const rows = features.length / featureSize;
      const { audio_embed: output } = await audio.run({ audio: tensor([1, rows, featureSize], features) });
      return output!.data;
    },
    async score(faces, sound, windowFrames) {
      const dims = [faces.length / embeddingSize / windowFrames, windowFrames, embeddingSize];
      const { score } = await backend.run({ audio_embed: tensor(dims, sound), visual: tensor(dims, faces) });
      return score!.data;
    },
    async close() {
      await Promise.all([visual.close(), audio.close(), backend.close()]);
    },
  };
}
