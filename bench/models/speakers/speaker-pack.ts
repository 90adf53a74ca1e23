import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mulberry32 } from '../../harness/random.js';

/** One line of the pack's `meta.jsonl`, as far as it is used here. */
export type TrackMeta = {
  readonly id: string;
  readonly video: string;
  readonly audio: string;
  readonly split: 'train' | 'val' | 'test';
  readonly person: string;
  readonly generated: false | string;
  readonly talker: boolean;
  readonly still: boolean;
  readonly label_source: string;
  readonly faces_in_frame: number;
  /** Per frame: 1 speaking, 0 not, −1 unknown. */
  readonly label: readonly number[];
  /** Per frame: probability of speech in the sound. */
  readonly vad: readonly number[];
  /** Per frame: raw score of LR-ASD, over windows of 1…6 s. */
  readonly lr: readonly number[];
};

/** Bytes per frame of the pack's crops, and samples of its sound. */
export const cropBytes = 112 * 112;
export const frameSamples = 640;

/** The recorded faces of the validation and test splits, which no model of ours was trained on; LR-ASD saw none of the pack. */
export function readUnseenTracks(pack: string): TrackMeta[] {
  return readTracks(pack).filter(meta => !meta.generated && meta.split !== 'train');
}

/** Every line of the pack, those that our models were trained on too. */
export function readTracks(pack: string): TrackMeta[] {
  return readFileSync(join(pack, 'meta.jsonl'), 'utf8')
    .split('\n')
    .filter(line => line)
    .map(line => JSON.parse(line) as TrackMeta);
}

/** The crops of a track, one after the other, and its sound in ±1. */
export function decodeTrack(
  pack: string,
  { video, audio }: TrackMeta,
): { readonly crops: Uint8Array; readonly samples: Float32Array } {
  const crops = decode(join(pack, video), '-f', 'rawvideo', '-pix_fmt', 'gray');
  return { crops, samples: decodeSound(pack, { audio }) };
}

/** The sound of a track in ±1, at 16 kHz. */
export function decodeSound(pack: string, { audio }: Pick<TrackMeta, 'audio'>): Float32Array {
  const sound = decode(join(pack, audio), '-f', 's16le');
  const samples = new Float32Array(sound.length / 2);
  for (let i = 0; i < samples.length; i++) samples[i] = sound.readInt16LE(2 * i) / 32768;
  return samples;
}

const decode = (path: string, ...options: readonly string[]) =>
  execFileSync('ffmpeg', ['-v', 'error', '-i', path, ...options, '-'], { maxBuffer: 2 ** 28 });

/** A piece of a track; `track` counts within the list that was given. */
export type Window = { readonly track: number; readonly at: number };

/** One voice and two moving mouths: whose voice it is, and somebody else's. */
export type MouthPair = { readonly own: Window; readonly other: Window };

/** Pieces without overlap of known talkers in which speech is heard most of the time: 80 %, as the pack's rule has it. */
export function spokenWindows(tracks: readonly TrackMeta[], frames: number): Window[] {
  return tracks.flatMap((meta, track) => {
    if (!meta.talker) return [];
    return pieces(meta, frames)
      .filter(at => share(meta.vad, at, frames, value => value >= 0.5) >= 0.8)
      .map(at => ({ track, at }));
  });
}

/** Pieces in which the face is known to be quiet. */
export function quietWindows(tracks: readonly TrackMeta[], frames: number): Window[] {
  return tracks.flatMap((meta, track) =>
    meta.still
      ? []
      : pieces(meta, frames)
          .filter(at => share(meta.label, at, frames, value => value === 0) === 1)
          .map(at => ({ track, at })),
  );
}

/** Puts moving mouths of other people beside each window, drawn with a fixed seed. */
export function mouthPairs(
  tracks: readonly TrackMeta[],
  windows: readonly Window[],
  partners: number,
): MouthPair[] {
  const random = mulberry32(1);
  return windows.flatMap(own => {
    const others = windows.filter(({ track }) => tracks[track]!.person !== tracks[own.track]!.person);
    return Array.from({ length: Math.min(partners, others.length) }, () => ({
      own,
      other: others[Math.floor(random() * others.length)]!,
    }));
  });
}

const pieces = (meta: TrackMeta, frames: number): number[] =>
  Array.from({ length: Math.floor(meta.label.length / frames) }, (_, i) => i * frames);

function share(
  values: readonly number[],
  at: number,
  count: number,
  holds: (value: number) => boolean,
): number {
  return values.slice(at, at + count).filter(holds).length / count;
}
