import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { audioFeatures, featureSize } from '../../../src/core/audio-features.js';
import { embeddingSize, faceHaloFrames, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { createSyncProjector } from '../../../src/inference/sync-projector.js';
import { cropBytes, decodeTrack, frameSamples, readUnseenTracks, type TrackMeta } from './speaker-pack.js';

export type EmbeddingOptions = {
  /** Folder with `meta.jsonl` and `tracks/`. */
  readonly pack: string;
  /** Folder where embeddings are kept, so that the next run is quick. */
  readonly cache: string;
  /** One of the unseen splits only. */
  readonly split?: 'val' | 'test';
  readonly onProgress?: (line: string) => void;
};

/** A track and what a model's encoders say of it, per frame; `lips` and `heard` are what is compared directly. */
export type EmbeddedTrack = TrackMeta & {
  readonly frames: number;
  readonly faces: Float32Array;
  readonly sound: Float32Array;
  readonly lips: Float32Array;
  readonly heard: Float32Array;
};

/** The unseen tracks of a pack through both encoders. */
export async function embedTracks(
  model: SpeakerModel,
  { pack, cache, split, onProgress }: EmbeddingOptions,
): Promise<EmbeddedTrack[]> {
  const folder = join(cache, await fingerprint(model));
  mkdirSync(folder, { recursive: true });
  const tracks: EmbeddedTrack[] = [];
  for (const meta of readUnseenTracks(pack)) {
    if (split && meta.split !== split) continue;
    const file = join(folder, `${meta.id}.f32`);
    const frames = meta.label.length;
    if (!existsSync(file)) {
      const { crops, samples } = decodeTrack(pack, meta);
      const faces = await embedFaces(model, Float32Array.from(crops), frames);
      const sound = (await embedSound(model, samples)).subarray(0, faces.length);
      writeFileSync(file, Buffer.concat([bytesOf(faces), bytesOf(sound)]));
      onProgress?.(meta.id);
    }
    const stored = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
    const [faces, sound] = [stored.subarray(0, stored.length / 2), stored.subarray(stored.length / 2)];
    const [lips, heard] = [project(model.sync?.faces, faces), project(model.sync?.sound, sound)];
    tracks.push({ ...meta, frames, faces, sound, lips, heard });
  }
  return tracks;
}

/** In chunks with a halo, as the scorer does it. */
export async function embedFaces(
  model: SpeakerModel,
  crops: Float32Array,
  frames: number,
): Promise<Float32Array> {
  const out = new Float32Array(frames * embeddingSize);
  for (let from = 0; from < frames; from += 100) {
    const to = Math.min(frames, from + 100);
    const [first, last] = [Math.max(0, from - faceHaloFrames), Math.min(frames, to + faceHaloFrames)];
    const data = crops.slice(first * cropBytes, last * cropBytes);
    const found = await model.embedFaces({ kind: 'cpu', dims: [1, last - first, 112, 112], data });
    out.set(
      found.subarray((from - first) * embeddingSize, (to - first) * embeddingSize),
      from * embeddingSize,
    );
  }
  return out;
}

/** All of a sound at once, `[T, 128]`. */
export async function embedSound(model: SpeakerModel, samples: Float32Array): Promise<Float32Array> {
  const rows = Float32Array.from(audioFeatures(samples));
  const frames = Math.floor(samples.length / frameSamples);
  return model.embedSound(rows.subarray(0, frames * 4 * featureSize));
}

function project(matrix: Float32Array | undefined, embeddings: Float32Array): Float32Array {
  const projector = createSyncProjector(matrix);
  for (let at = 0; at < embeddings.length; at += embeddingSize)
    projector.push(embeddings.subarray(at, at + embeddingSize));
  return projector.finish();
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** What tells one model file from another: its answer to a formula-made face. */
async function fingerprint(model: SpeakerModel): Promise<string> {
  const data = Float32Array.from({ length: 3 * cropBytes }, (_, i) => (i * 37) % 251);
  const answer = await model.embedFaces({ kind: 'cpu', dims: [1, 3, 112, 112], data });
  return createHash('sha256').update(bytesOf(answer)).digest('hex').slice(0, 12);
}
