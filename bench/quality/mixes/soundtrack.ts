import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { mulberry32 } from '../../harness/random.js';
import { decodeSound, frameSamples } from '../../models/speakers/speaker-pack.js';
import type { Stretch } from './cast.js';
import type { FootageSource } from './footage.js';
import type { Mix } from './mix.js';

export const sampleRateHz = 16_000;
/** Every voice is as loud as the others: root mean square over its turn, in ±1. */
const voiceLevel = 0.08;
const bedLevels = { music: 0.035, laughter: 0.09 } as const;
/** A room is never silent. */
const roomLevel = 0.0008;
const rampSamples = sampleRateHz / 60;

/** Recorded beds of `media/talking`: which seconds of which clip. */
const beds = {
  music: { file: 'silent_woman_music_lp_s18_1280x720.mp4', fromSec: 0, lengthSec: 9 },
  laughter: { file: 'film_friends_cuts_640x360.mp4', fromSec: 4.15, lengthSec: 1.3 },
} as const;

/** The sound of a mix, mono in ±1: every heard turn where its person's lag puts it, and what lies beneath. */
export function soundtrackOf(mix: Mix, source: FootageSource, media: string): Float32Array {
  const out = new Float32Array(mix.frames * frameSamples);
  const random = mulberry32(mix.seed + 1);
  for (let i = 0; i < out.length; i++) out[i] = roomLevel * 2 * (random() - 0.5);
  const voices = new Map<string, Float32Array>();
  const voiceOf = ({ track }: Pick<Stretch, 'track'>) => {
    let voice = voices.get(track);
    if (!voice) voices.set(track, (voice = decodeSound(source.pack, source.tracks.get(track)!)));
    return voice;
  };
  for (const { person, from, frames, source: at, heard } of mix.turns) {
    if (!heard) continue;
    const piece = voiceOf(at).subarray(at.from * frameSamples, (at.from + frames) * frameSamples);
    const lag = mix.soundLagFrames[person] ?? 0;
    add(out, piece, (from + lag) * frameSamples, voiceLevel);
  }
  if (mix.bed) {
    const bed = decodeBed(media, mix.bed);
    // Music goes on; laughter comes and goes.
    const pauseSec = mix.bed === 'music' ? 0 : 1.2;
    for (let at = 0; at < out.length; at += bed.length + Math.round(pauseSec * (1 + random()) * sampleRateHz))
      add(out, bed, at, bedLevels[mix.bed]);
  }
  return out;
}

/** Adds a piece at a level, with soft ends; what lies outside is left out. */
function add(out: Float32Array, piece: Float32Array, at: number, level: number): void {
  const gain = level / (Math.sqrt(piece.reduce((sum, value) => sum + value * value, 0) / piece.length) || 1);
  for (let i = 0; i < piece.length; i++) {
    const to = at + i;
    if (to < 0 || to >= out.length) continue;
    out[to]! += gain * piece[i]! * Math.min(1, i / rampSamples, (piece.length - i) / rampSamples);
  }
}

function decodeBed(media: string, bed: keyof typeof beds): Float32Array {
  const { file, fromSec, lengthSec } = beds[bed];
  const path = join(media, 'talking', file);
  const seek = ['-ss', String(fromSec), '-t', String(lengthSec)];
  const as = ['-ac', '1', '-ar', String(sampleRateHz), '-f', 'f32le', '-'];
  const bytes = execFileSync('ffmpeg', ['-v', 'error', ...seek, '-i', path, ...as], { maxBuffer: 2 ** 26 });
  return new Float32Array(new Uint8Array(bytes).buffer);
}
