import { concat } from '../core/series.js';
import { voicePieceSec, voiceStepSec } from '../core/speaker-evidence.js';
import { speechChunkSamples } from './silero.js';
import { leastVoiceSamples, type VoiceEmbedder } from './voice-embedder.js';

const sampleRateHz = 16_000;
const pieceSamples = voicePieceSec * sampleRateHz;
const stepSamples = voiceStepSec * sampleRateHz;
/** A piece of less speech, as mean probability, is not worth a run of the network. */
const leastSpeech = 0.3;

/** How the voice of each piece of a sound sounds, while the sound streams in. Await each call before the next. */
export interface Voiceprints {
  /** Numbers that a piece gets. */
  readonly size: number;
  /**
   * @param samples - The next samples of 16 kHz mono in ±1.
   * @param speech - Probabilities of speech of the chunks that became complete with them.
   */
  push(samples: Float32Array, speech: Float32Array): Promise<void>;
  /** Ends the sound. @returns As `SoundEvidence.voices`. */
  finish(): Promise<Int8Array>;
  /** What other voiceprints go on from. */
  save(): VoiceprintsState;
}

/** Voiceprints between two pushes. */
export type VoiceprintsState = {
  /** Samples from the beginning of the next piece on. */
  readonly pending: Float32Array;
  /** Probabilities of all chunks from chunk `chunksFrom` on. */
  readonly speech: Float32Array;
  readonly chunksFrom: number;
  readonly voices: Int8Array;
};

/**
 * @param embedder - Stays the caller's.
 * @param saved - State of other voiceprints; the new ones go on from there.
 */
export function createVoiceprints(embedder: VoiceEmbedder, saved?: VoiceprintsState): Voiceprints {
  let pending = saved?.pending ?? new Float32Array(0);
  let speech = saved?.speech ?? new Float32Array(0);
  let chunksFrom = saved?.chunksFrom ?? 0;
  let voices = [saved?.voices ?? new Int8Array(0)];
  const { size } = embedder;
  let pieces = voices[0]!.length / size;

  /** The chunks under the samples from `from` to `to`, as far as they are known. */
  const speechIn = (from: number, to: number) => {
    const chunk = (sample: number) => Math.max(0, Math.floor(sample / speechChunkSamples) - chunksFrom);
    const inside = speech.subarray(chunk(from), chunk(to - 1) + 1);
    return inside.reduce((sum, value) => sum + value, 0) / Math.max(1, inside.length);
  };
  const take = async (samples: Float32Array) => {
    const from = pieces * stepSamples;
    const print = new Int8Array(size);
    if (speechIn(from, from + samples.length) >= leastSpeech) {
      const embedding = await embedder.embed(samples);
      for (let i = 0; i < size; i++) print[i] = Math.round(127 * embedding[i]!);
    }
    voices.push(print);
    pieces++;
    pending = pending.slice(stepSamples);
    const drop = Math.floor((pieces * stepSamples) / speechChunkSamples) - chunksFrom;
    speech = speech.slice(Math.max(0, drop));
    chunksFrom += Math.max(0, drop);
  };
  const joined = () => {
    voices = [join(voices)];
    return voices[0]!;
  };

  return {
    size,
    async push(samples, probabilities) {
      pending = concat([pending, samples]);
      speech = concat([speech, probabilities]);
      while (pending.length >= pieceSamples) await take(pending.slice(0, pieceSamples));
    },
    async finish() {
      if (pending.length >= Math.max(leastVoiceSamples, stepSamples)) await take(pending);
      return joined();
    },
    save: () => ({ pending, speech, chunksFrom, voices: joined() }),
  };
}

function join(parts: readonly Int8Array[]): Int8Array {
  const out = new Int8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
