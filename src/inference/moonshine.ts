import { alignTokens } from '../core/align-tokens.js';
import { concat } from '../core/series.js';
import { ReframeError } from '../schema/error.js';
import { likeliest } from './likeliest.js';
import { createMergedDecoder } from './merged-decoder.js';
import type { Output, Session } from './session.js';
import type { TokenList } from './token-list.js';
import type { SpokenToken, TranscriptionModel } from './transcription-model.js';

const sampleRateHz = 16_000;
const startToken = 1;
const endToken = 2;
/** People do not say more than this many tokens a second; a model that writes more goes round in circles. The authors' bound. */
const tokensPerSec = 6.5;
/** Longer pieces were not understood as well, and cost the square of their length. */
const longestSec = 10;

export type MoonshineOptions = {
  readonly encoder: Session;
  /** A merged decoder whose attention is among its outputs (`addCrossAttention`). */
  readonly decoder: Session;
  readonly tokens: TokenList;
  /** The model's id. */
  readonly name: string;
  /** BCP 47 tag. */
  readonly language: string;
};

/**
 * Moonshine (Jeffries et al. 2024, https://arxiv.org/abs/2410.15608) in any size and language: an encoder from sound to
 * frames, and a decoder that writes a token at a time, the likeliest one. Sessions run on `wasm`.
 *
 * @throws ReframeError `model_corrupt` for a decoder without caches or attention.
 */
export function createMoonshine(options: MoonshineOptions): TranscriptionModel {
  const { encoder, decoder, tokens, name, language } = options;
  // An empty batch: the first step does not look at what was before.
  const writing = createMergedDecoder(decoder, name, (heads, size) => [0, heads, 1, size]);
  const { attentionNames } = writing;
  if (!attentionNames.length)
    throw new ReframeError(
      'model_corrupt',
      `"${name}" is no merged decoder whose cross-attention is among its outputs; \`npm run models -- --add words\` makes one.`,
    );

  /** Writes tokens until the end; with each the weights of all heads of all layers over the frames. */
  async function decode(hidden: Output, mostTokens: number, signal: AbortSignal | undefined) {
    const step = writing.begin(hidden);
    const ids: number[] = [];
    const logProbabilities: number[] = [];
    const attention: Float32Array[] = [];
    let last = startToken;
    while (ids.length < mostTokens) {
      signal?.throwIfAborted();
      const outputs = await step([last]);
      const { id, logProbability } = likeliest(outputs.logits!.data);
      ids.push(id);
      logProbabilities.push(logProbability);
      attention.push(concat(attentionNames.map(output => outputs[output]!.data)));
      if (id === endToken) break;
      last = id;
    }
    return { ids, logProbabilities, attention };
  }

  return {
    name,
    language,
    longestSec,
    async transcribe(samples, signal) {
      const lengthSec = samples.length / sampleRateHz;
      if (lengthSec > longestSec)
        throw new RangeError(`${lengthSec} s of sound; ${name} takes ${longestSec} s.`);
      signal?.throwIfAborted();
      const encoded = await encoder.run({
        input_values: { kind: 'cpu', dims: [1, samples.length], data: samples },
      });
      const hidden = encoded.last_hidden_state!;
      const frames = hidden.dims[1]!;
      const mostTokens = Math.trunc(lengthSec * tokensPerSec) + 2;
      const { ids, logProbabilities, attention } = await decode(hidden, mostTokens, signal);
      const aligned = alignTokens(attention, frames);
      const frameSec = lengthSec / frames;
      const texts = tokens.textOf(ids);
      return texts.flatMap((text, i): SpokenToken[] => {
        const { firstFrame, lastFrame } = aligned[i]!;
        const [startSec, endSec] = [firstFrame * frameSec, (lastFrame + 1) * frameSec];
        return text ? [{ text, startSec, endSec, logProbability: logProbabilities[i]! }] : [];
      });
    },
    async close() {
      await encoder.close();
      await decoder.close();
    },
  };
}
