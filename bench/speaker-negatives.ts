import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpeakerModel } from '../src/inference/lr-asd.js';
import { windowedScore } from '../src/inference/speaker-scorer.js';
import { mulberry32 } from './random.js';
import type { Row } from './report.js';
import { embedFaces, embedSound } from './speaker-embeddings.js';
import { cropBytes } from './speaker-pack.js';

/** Share of frames above 0 of a stored talking face with sound that nobody says, and of its photo with speech. */
export async function negativeCases(model: SpeakerModel, golden: string): Promise<Row[]> {
  const frames = 199;
  const crops = readFileSync(join(golden, 'kh_mpeg4_track0_crops112_u8.bin')).subarray(0, frames * cropBytes);
  const wave = readFileSync(join(golden, 'kh_mpeg4_audio16k.wav')).subarray(44);
  const own = Float32Array.from({ length: wave.length / 2 }, (_, i) => wave.readInt16LE(2 * i) / 32768);
  const random = mulberry32(3);
  const noise = (level: number) => own.map(() => level * 2 * (random() - 0.5));
  const cases = {
    'own sound': own,
    silence: own.map(() => 0),
    'faint noise': noise(3 / 32768),
    'white noise': noise(0.1),
    music: chords(own.length),
  };
  const embed = async (pixels: Float32Array) => embedFaces(model, pixels, frames);
  const moving = await embed(Float32Array.from(crops));
  const still = await embed(Float32Array.from({ length: crops.length }, (_, i) => crops[i % cropBytes]!));
  const speaking = async (faces: Float32Array, samples: Float32Array) => {
    const sound = (await embedSound(model, samples)).subarray(0, faces.length);
    const scores = await windowedScore(model, faces, sound);
    return scores.filter(value => value > 0).length / frames;
  };
  const rows: Row[] = [];
  for (const [name, samples] of Object.entries(cases))
    rows.push({ measure: `frames speaking: ${name}`, value: await speaking(moving, samples), n: frames });
  rows.push({ measure: 'frames speaking: still photo', value: await speaking(still, own), n: frames });
  return rows;
}

/** Four chords in turn with a beat: music without a voice. */
function chords(length: number): Float32Array {
  const roots = [220, 174.6, 261.6, 196];
  return Float32Array.from({ length }, (_, i) => {
    const sec = i / 16_000;
    const root = roots[Math.floor(sec / 0.8) % roots.length]!;
    const tones = [1, 1.26, 1.5, 2, 4].reduce(
      (sum, ratio) => sum + Math.sin(2 * Math.PI * root * ratio * sec) / ratio,
      0,
    );
    return 0.08 * tones * Math.exp(-2 * (sec % 0.4));
  });
}
