import type { SpokenToken } from './transcription-model.js';

/** Why a piece was not believed. */
export type Disbelief = 'improbable' | 'repetitive';

/** Bounds of openai/whisper (`transcribe.py`: logprob_threshold, compression_ratio_threshold). */
const leastLogProbability = -1;
const mostCompression = 2.4;

/**
 * Whether what a model wrote is likely invented: it was not sure of it, or it says the same again and again.
 *
 * @returns Why, or undefined for a text to believe.
 */
export async function disbelieve(tokens: readonly SpokenToken[]): Promise<Disbelief | undefined> {
  if (!tokens.length) return undefined;
  const sum = tokens.reduce((total, { logProbability }) => total + logProbability, 0);
  if (sum / tokens.length < leastLogProbability) return 'improbable';
  const text = new TextEncoder().encode(tokens.map(token => token.text).join(''));
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate'));
  const packedBytes = (await new Response(packed).arrayBuffer()).byteLength;
  return text.length / packedBytes > mostCompression ? 'repetitive' : undefined;
}
