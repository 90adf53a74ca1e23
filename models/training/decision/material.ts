import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedFaces } from '../../../bench/models/speakers/speaker-embeddings.js';
import { cropBytes, decodeTrack, type TrackMeta } from '../../../bench/models/speakers/speaker-pack.js';
import { embeddingSize, type SpeakerModel } from '../../../src/inference/lr-asd.js';

/** A piece of a face on video with its sound, both 25 frames a second. */
export type Footage = {
  readonly person: string;
  /** Frames of the track. */
  readonly from: number;
  readonly frames: number;
  /** By width of the face in pixels: embeddings of the whole track, `[frames, embeddingSize]`. */
  readonly faces: ReadonlyMap<number, Float32Array>;
  /** Of the whole track, 640 a frame. */
  readonly samples: Float32Array;
  /** Per frame of the track. */
  readonly speech: readonly number[];
};

/** What scenes are made of. */
export type Material = {
  /** A mouth that talks, and is heard, by person. */
  readonly talk: ReadonlyMap<string, readonly Footage[]>;
  /** Faces that listen. */
  readonly quiet: readonly Footage[];
};

/** Widths of faces that are made of each track, in pixels; a crop of the pack shows a face of about 80. */
const facesPx = [80, 36, 24] as const;
const rights = ['open', 'repo', 'research'];
/** Shorter pieces tell nothing. */
const leastFrames = 16;

type Meta = TrackMeta & { readonly rights: string };

/**
 * @param split - People whom no network was trained on: `val` to fit to, rows that may ship only; `test` to judge.
 * @param every - Of the news anchors, who are many and alike, every so manieth is taken.
 */
export async function readMaterial(
  pack: string,
  model: SpeakerModel,
  {
    split,
    every,
    cache,
    onProgress,
  }: { split: 'val' | 'test'; every: number; cache: string; onProgress: (line: string) => void },
): Promise<Material> {
  const all = readFileSync(join(pack, 'meta.jsonl'), 'utf8').trim().split('\n');
  const rows = all
    .map(line => JSON.parse(line) as Meta)
    .filter(row => !row.generated && !row.still)
    .filter((row, i) => !row.id.startsWith('arn_') || i % every === 0)
    .filter(row => row.split === split && (split === 'test' || rights.includes(row.rights)));
  const talk = new Map<string, Footage[]>();
  const quiet: Footage[] = [];
  mkdirSync(cache, { recursive: true });
  for (const row of rows) {
    const { crops, samples } = decodeTrack(pack, row);
    const faces = new Map<number, Float32Array>();
    for (const px of facesPx) faces.set(px, await embedAt(model, { row, crops, px, cache, pack }));
    const track = { person: row.person, faces, samples, speech: row.vad };
    for (const [from, to] of stretches(row.label, value => value === 0))
      quiet.push({ ...track, from, frames: to - from });
    if (row.talker) {
      const spoken = stretches(row.vad, value => value >= 0.3).map(([from, to]) => ({
        ...track,
        from,
        frames: to - from,
      }));
      talk.set(row.person, [...(talk.get(row.person) ?? []), ...spoken]);
    }
    onProgress(row.id);
  }
  for (const [person, pieces] of talk) if (!pieces.length) talk.delete(person);
  return { talk, quiet };
}

function stretches(values: readonly number[], holds: (value: number) => boolean): [number, number][] {
  const found: [number, number][] = [];
  let from = -1;
  for (let i = 0; i <= values.length; i++) {
    const held = i < values.length && holds(values[i]!);
    if (held && from < 0) from = i;
    if (!held && from >= 0) {
      if (i - from >= leastFrames) found.push([from, i]);
      from = -1;
    }
  }
  return found;
}

async function embedAt(
  model: SpeakerModel,
  given: { row: Meta; crops: Uint8Array; px: number; cache: string; pack: string },
): Promise<Float32Array> {
  const { row, crops, px, cache, pack } = given;
  const frames = row.label.length;
  const key = createHash('sha256').update(`${model.name} ${row.id} ${px}`).digest('hex').slice(0, 16);
  const file = join(cache, `${key}.f32`);
  if (existsSync(file)) return new Float32Array(new Uint8Array(readFileSync(file)).buffer);
  // A face of so many pixels fills 5/7 of its crop.
  const side = Math.round(px * 1.4);
  const pixels =
    px >= 80
      ? crops
      : execFileSync(
          'ffmpeg',
          [
            '-v',
            'error',
            '-i',
            join(pack, row.video),
            '-vf',
            `scale=${side}:${side}:flags=area,scale=112:112:flags=bilinear`,
            '-f',
            'rawvideo',
            '-pix_fmt',
            'gray',
            '-',
          ],
          { maxBuffer: 2 ** 28 },
        );
  const faces = await embedFaces(model, Float32Array.from(pixels.subarray(0, frames * cropBytes)), frames);
  writeFileSync(file, new Uint8Array(faces.buffer, faces.byteOffset, faces.byteLength));
  return faces.subarray(0, frames * embeddingSize);
}
