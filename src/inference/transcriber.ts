import { concat } from '../core/series.js';
import { nextSpeechPiece } from '../core/speech-pieces.js';
import { wordsOfTokens } from '../core/words-of-tokens.js';
import type { TranscribedWord } from '../schema/transcription.js';
import { type Disbelief, disbelieve } from './hallucination.js';
import { speechChunkSamples } from './silero.js';
import type { TranscriptionModel } from './transcription-model.js';

const sampleRateHz = 16_000;
const chunkSec = speechChunkSamples / sampleRateHz;

/** Writes down what is said, while the sound streams in. Await each call before the next; `save` and `soFar` at any time. */
export interface Transcriber {
  /**
   * @param samples - The next samples of 16 kHz mono in ±1.
   * @param speech - Probabilities of speech of the chunks that became complete with them.
   */
  push(samples: Float32Array, speech: Float32Array): Promise<void>;
  /** Ends the sound. @returns All words, seconds from the first sample. */
  finish(): Promise<readonly TranscribedWord[]>;
  /** The words up to the last pause. */
  soFar(): readonly TranscribedWord[];
  /** How many pieces of speech were not believed, by why. */
  disbelieved(): Readonly<Record<Disbelief, number>>;
  /** What another transcriber goes on from. */
  save(): TranscriberState;
}

/** A transcriber between two pushes. */
export type TranscriberState = {
  /** Samples from chunk `chunksFrom` on. */
  readonly pending: Float32Array;
  /** Probabilities of all chunks from chunk `chunksFrom` on. */
  readonly speech: Float32Array;
  readonly chunksFrom: number;
  readonly words: readonly TranscribedWord[];
  readonly disbelieved: Readonly<Record<Disbelief, number>>;
};

/**
 * Cuts sound at pauses into pieces that the model takes, has each written down, and leaves out what was not said. It
 * keeps no more sound than the longest piece; silence and music without a voice cost nothing.
 *
 * @param model - Stays the caller's.
 * @param saved - State of another transcriber; the new one goes on from there.
 */
export function createTranscriber(
  model: TranscriptionModel,
  saved?: TranscriberState,
  signal?: AbortSignal,
): Transcriber {
  const longestChunks = Math.floor(model.longestSec / chunkSec);
  let pending = saved?.pending ?? new Float32Array(0);
  let speech = saved?.speech ?? new Float32Array(0);
  let chunksFrom = saved?.chunksFrom ?? 0;
  const words = [...(saved?.words ?? [])];
  const disbelieved: Record<Disbelief, number> = { improbable: 0, repetitive: 0, ...saved?.disbelieved };

  const write = async (chunks: number): Promise<Disbelief | TranscribedWord[]> => {
    const tokens = await model.transcribe(withPeakOne(pending.slice(0, chunks * speechChunkSamples)), signal);
    const why = await disbelieve(tokens);
    if (why) return why;
    const originSec = chunksFrom * chunkSec;
    return wordsOfTokens(tokens, { stepSec: chunkSec, values: speech.subarray(0, chunks) }).map(word => ({
      ...word,
      start: originSec + word.start,
      end: originSec + word.end,
    }));
  };
  const writeAll = async (ended: boolean) => {
    for (;;) {
      const next = speech.length ? nextSpeechPiece(speech, longestChunks, ended) : undefined;
      if (!next) return;
      const found = next.isSpeech ? await write(next.done) : [];
      // Words and sound change together: what is saved meanwhile has a piece as sound or as words, not as both.
      if (typeof found === 'string') disbelieved[found]++;
      else words.push(...found);
      pending = pending.slice(next.done * speechChunkSamples);
      speech = speech.slice(next.done);
      chunksFrom += next.done;
    }
  };

  return {
    async push(samples, probabilities) {
      pending = concat([pending, samples]);
      speech = concat([speech, probabilities]);
      await writeAll(false);
    },
    async finish() {
      await writeAll(true);
      return words;
    },
    soFar: () => words,
    disbelieved: () => disbelieved,
    save: () => ({ pending, speech, chunksFrom, words: [...words], disbelieved: { ...disbelieved } }),
  };
}

/** The model was trained on sound of about one loudness; a whisper is as good as a shout. */
function withPeakOne(samples: Float32Array): Float32Array {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  return peak > 0 ? samples.map(sample => sample / peak) : samples;
}
