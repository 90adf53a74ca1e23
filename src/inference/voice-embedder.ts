import { logMel, logMelSize } from '../core/log-mel.js';
import { voiceSize } from '../core/speaker-evidence.js';
import type { Session } from './session.js';

/** Least samples of a piece: five rows, fewer than which the network was never shown to make sense of. */
export const leastVoiceSamples = 400 + 4 * 160;

/** A network that says how a voice sounds. */
export interface VoiceEmbedder {
  /** The model's id. */
  readonly name: string;
  /** Numbers of an embedding. */
  readonly size: number;
  /**
   * @param samples - A piece of speech of one voice, 16 kHz mono in ±1; best 1–4 s.
   * @returns Float32 `[size]` of length one: the dot product of two embeddings is their cosine.
   * @throws RangeError for a piece shorter than {@link leastVoiceSamples}.
   */
  embed(samples: Float32Array): Promise<Float32Array>;
  close(): Promise<void>;
}

/**
 * Reads a network from log-mel rows `[batch, rows, 40]` to embeddings `[batch, 96]`, as `models/training/voice` makes it.
 *
 * @param session - Of such a network.
 * @param name - Its id.
 */
export function createVoiceEmbedder(session: Session, name: string): VoiceEmbedder {
  return {
    name,
    size: voiceSize,
    async embed(samples) {
      if (samples.length < leastVoiceSamples)
        throw new RangeError(
          `${samples.length} samples are too few for a voice; ${leastVoiceSamples} are needed.`,
        );
      const data = logMel(samples);
      const dims = [1, data.length / logMelSize, logMelSize];
      const { embedding } = await session.run({ rows: { kind: 'cpu', dims, data } });
      return embedding!.data;
    },
    close: () => session.close(),
  };
}
