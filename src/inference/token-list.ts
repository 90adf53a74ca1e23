import { ReframeError } from '../schema/error.js';

/** What tokens stand for. */
export interface TokenList {
  /**
   * Text of tokens: a piece for each, a space where a word begins. A letter that is spelt in several tokens of one byte each
   * is the text of the last of them; tokens without text (control tokens, numbers beyond the list) give the empty one.
   */
  textOf(ids: readonly number[]): string[];
}

/** A token that is a byte of UTF-8. */
const byteToken = /^<0x([0-9A-F]{2})>$/;
/** The first tokens of SentencePiece's lists: unknown, start, end. */
const controlTokens = 3;

/**
 * Reads a list of tokens as SentencePiece has them, a line each: `▁` is a space, `<0xE4>` a byte.
 *
 * @throws ReframeError `model_corrupt` for a text that is no such list.
 */
export function readTokenList(bytes: Uint8Array): TokenList {
  const tokens = new TextDecoder().decode(bytes).split('\n');
  if (tokens.length <= controlTokens || tokens[controlTokens - 1] !== '</s>')
    throw new ReframeError('model_corrupt', 'The list of tokens does not begin with <unk>, <s> and </s>.');
  return {
    textOf(ids) {
      const decoder = new TextDecoder();
      return ids.map(id => {
        const token = id < controlTokens ? '' : (tokens[id] ?? '');
        const byte = byteToken.exec(token);
        // A decoder that streams gives a letter with its last byte.
        if (byte) return decoder.decode(Uint8Array.of(Number.parseInt(byte[1]!, 16)), { stream: true });
        return token.replaceAll('▁', ' ');
      });
    },
  };
}
