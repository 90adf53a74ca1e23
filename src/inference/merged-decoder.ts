import { ReframeError } from '../schema/error.js';
import type { Output, Session, SessionInput } from './session.js';

/** A decoder that writes a token at a time and remembers what was before: Optimum's merged form, with `use_cache_branch`. */
export interface MergedDecoder {
  /** Names of outputs that say where in the sound the decoder listened, a layer each; none where the graph keeps that to itself. */
  readonly attentionNames: readonly string[];
  /**
   * Begins a text.
   *
   * @param hidden - What the encoder heard.
   * @returns What takes the next tokens, and gives the network's outputs for them.
   */
  begin(hidden: Output): (ids: readonly number[]) => Promise<Readonly<Record<string, Output>>>;
}

/**
 * @param emptyDims - Shape of the caches before the first token, of a decoder with so many heads of such a size.
 * @throws ReframeError `model_corrupt` for a decoder without caches.
 */
export function createMergedDecoder(
  session: Session,
  name: string,
  emptyDims: (heads: number, size: number) => readonly number[],
): MergedDecoder {
  const cacheNames = session.inputNames.filter(input => input.startsWith('past_key_values.'));
  if (!cacheNames.length || !session.inputNames.includes('use_cache_branch'))
    throw new ReframeError(
      'model_corrupt',
      `"${name}" is no merged decoder: it has no caches and use_cache_branch.`,
    );
  const firstCache = (): Record<string, SessionInput> =>
    Object.fromEntries(
      cacheNames.map(cache => {
        const [, heads, , size] = session.inputShapes[cache]!;
        return [
          cache,
          { kind: 'cpu', dims: emptyDims(Number(heads), Number(size)), data: new Float32Array(0) },
        ];
      }),
    );
  return {
    attentionNames: session.outputNames.filter(output => output.startsWith('cross_attentions.')),
    begin(hidden) {
      let cache = firstCache();
      let goesOn = false;
      return async ids => {
        const outputs = await session.run({
          ...cache,
          input_ids: { kind: 'int64', dims: [1, ids.length], data: BigInt64Array.from(ids, BigInt) },
          encoder_hidden_states: { kind: 'cpu', ...hidden },
          use_cache_branch: { kind: 'bool', dims: [1], data: Uint8Array.of(goesOn ? 1 : 0) },
        });
        const before = cache;
        cache = Object.fromEntries(
          cacheNames.map(input => {
            // What is known of the sound does not change after the first step, which alone gives it.
            if (goesOn && input.includes('.encoder.')) return [input, before[input]!];
            return [input, { kind: 'cpu', ...outputs[input.replace('past_key_values', 'present')]! }];
          }),
        );
        goesOn = true;
        return outputs;
      };
    },
  };
}
