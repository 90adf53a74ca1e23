import type { Sample } from '../sampling/sampler.js';
import type { Session, SessionInput } from './session.js';

/** Samples of 16 kHz sound per probability: 32 ms. */
export const speechChunkSamples = 512;
/** Samples of the chunk before that go with each chunk; without them the network answers 0 to everything. */
const contextSamples = 64;
const stateDims = [2, 1, 128] as const;
const stateSize = 256;

/** Speech probability of sound, in order, piece by piece. */
export interface SpeechDetector {
  /** @param samples - 16 kHz mono in ±1, any length. @returns A probability, 0–1, for each chunk that is complete. */
  push(samples: Float32Array): Promise<Float32Array>;
  /** Ends the sound; the last chunk is filled with zeros. */
  finish(): Promise<Float32Array>;
  /** What another detector goes on from. */
  save(): SpeechState;
  close(): Promise<void>;
}

/** A detector between two pieces of sound. */
export type SpeechState = {
  /** What the network remembers. */
  readonly memory: Float32Array;
  /** The end of the last chunk, and the beginning of the next. */
  readonly context: Float32Array;
  readonly pending: Float32Array;
};

/**
 * Silero VAD v5/v6: a recurrent network over chunks of 512 samples at 16 kHz. Reads both published forms: the
 * 16 kHz file with inputs `input`, `state`, and the packaged one with `sr` besides.
 *
 * @param session - Runs on `wasm`: the network is tiny and each chunk waits for the chunk before.
 * @param saved - State of another detector; the new detector goes on from there.
 */
export function createSpeechDetector(session: Session, saved?: SpeechState): SpeechDetector {
  const rate: Record<string, SessionInput> = session.inputNames.includes('sr')
    ? { sr: { kind: 'int64', dims: [], data: BigInt64Array.of(16_000n) } }
    : {};
  let memory = saved?.memory ?? new Float32Array(stateSize);
  let context = saved?.context ?? new Float32Array(contextSamples);
  let pending = saved?.pending ?? new Float32Array(0);

  const probabilityOf = async (chunk: Float32Array): Promise<number> => {
    const input = new Float32Array(contextSamples + speechChunkSamples);
    input.set(context);
    input.set(chunk, contextSamples);
    const feeds: Record<string, Sample> = {
      input: { kind: 'cpu', dims: [1, input.length], data: input },
      state: { kind: 'cpu', dims: stateDims, data: memory },
    };
    const { output, stateN } = await session.run({ ...feeds, ...rate });
    memory = stateN!.data.slice();
    context = input.slice(-contextSamples);
    return output!.data[0]!;
  };

  return {
    async push(samples) {
      const joined = new Float32Array(pending.length + samples.length);
      joined.set(pending);
      joined.set(samples, pending.length);
      const chunks = Math.floor(joined.length / speechChunkSamples);
      pending = joined.slice(chunks * speechChunkSamples);
      const out = new Float32Array(chunks);
      for (let i = 0; i < chunks; i++) {
        out[i] = await probabilityOf(joined.subarray(i * speechChunkSamples, (i + 1) * speechChunkSamples));
      }
      return out;
    },
    async finish() {
      if (!pending.length) return new Float32Array(0);
      const last = new Float32Array(speechChunkSamples);
      last.set(pending);
      pending = new Float32Array(0);
      return Float32Array.of(await probabilityOf(last));
    },
    save: () => ({ memory, context, pending }),
    close: () => session.close(),
  };
}
