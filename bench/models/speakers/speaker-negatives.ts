import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddingSize, faceHaloFrames, type SpeakerModel } from '../../../src/inference/lr-asd.js';
import { windowedScore } from '../../../src/inference/score-windows.js';
import { mulberry32 } from '../../harness/random.js';
import type { Row } from '../../harness/report.js';
import { type EmbeddedTrack, embedFaces, embedSound } from './speaker-embeddings.js';
import { cropBytes, decodeTrack, frameSamples } from './speaker-pack.js';

/** Share of frames above 0 of a stored talking face with sound that nobody says, and of its photo with speech. */
export async function negativeCases(model: SpeakerModel, golden: string): Promise<Row[]> {
  const frames = 199;
  const crops = readFileSync(join(golden, 'kh_mpeg4_track0_crops112_u8.bin')).subarray(0, frames * cropBytes);
  const wave = readFileSync(join(golden, 'kh_mpeg4_audio16k.wav')).subarray(44);
  const own = Float32Array.from({ length: wave.length / 2 }, (_, i) => wave.readInt16LE(2 * i) / 32768);
  const cases = { 'own sound': own, ...nobodysSounds(own.length) };
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

/** One person's talking face and how much of it is taken for speaking. */
export type FramesSpeaking = { readonly person: string; readonly value: number };

/** Frames of each talker that are judged: two seconds hold more than one movement of the lips. */
const judgedFrames = 50;

/** The same for unseen talkers: their faces with each of these sounds, and their photo with their own speech. */
export async function negativesOfPeople(
  model: SpeakerModel,
  tracks: readonly EmbeddedTrack[],
  pack: string,
): Promise<ReadonlyMap<string, readonly FramesSpeaking[]>> {
  const talkers = tracks.filter(({ talker, still, frames }) => talker && !still && frames >= judgedFrames);
  const length = judgedFrames * embeddingSize;
  const found = new Map<string, FramesSpeaking[]>();
  const judge = async (name: string, person: string, faces: Float32Array, sound: Float32Array) => {
    const scores = await windowedScore(model, faces.slice(0, length), sound.slice(0, length));
    const value = scores.filter(score => score > 0).length / judgedFrames;
    found.set(name, [...(found.get(name) ?? []), { person, value }]);
  };
  for (const [name, samples] of Object.entries(nobodysSounds(judgedFrames * frameSamples))) {
    const sound = await embedSound(model, samples);
    for (const { person, faces } of talkers) await judge(name, person, faces, sound);
  }
  for (const track of talkers) {
    const { crops } = decodeTrack(pack, track);
    // Where all neighbours are the same picture, all embeddings are.
    const frames = 2 * faceHaloFrames + 1;
    const photo = Float32Array.from({ length: frames * cropBytes }, (_, i) => crops[i % cropBytes]!);
    const embedded = await embedFaces(model, photo, frames);
    const middle = embedded.subarray(faceHaloFrames * embeddingSize, (faceHaloFrames + 1) * embeddingSize);
    const faces = Float32Array.from({ length }, (_, i) => middle[i % embeddingSize]!);
    await judge('still photo', track.person, faces, track.sound);
  }
  return found;
}

/** Sounds without anybody's speech, in ±1. */
function nobodysSounds(length: number): Record<string, Float32Array> {
  const random = mulberry32(3);
  const noise = (level: number) => Float32Array.from({ length }, () => level * 2 * (random() - 0.5));
  return {
    silence: new Float32Array(length),
    'faint noise': noise(3 / 32768),
    'white noise': noise(0.1),
    music: chords(length),
  };
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
