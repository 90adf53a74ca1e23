import { ReframeError } from '../schema/error.js';
import type { TokenList } from './token-list.js';

/** Tokens that spell bytes, as GPT-2 and Whisper have them, and those that steer a model. */
export interface ByteTokens extends TokenList {
  /** The number of a token as the file writes it, such as `<|en|>` or `Ġ` for a space; undefined where there is none. */
  idOf(token: string): number | undefined;
  /** The number of a text that is one token, if it is one. */
  idOfText(text: string): number | undefined;
}

/** GPT-2's alphabet (`bytes_to_unicode`): visible bytes are themselves, the others the letters from U+0100 on. */
const letterOfByte = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    return String.fromCharCode(isVisible ? byte : next++);
  });
})();
const byteOfLetter = new Map(letterOfByte.map((letter, byte) => [letter, byte]));

/**
 * Reads byte-level tokens: a `tokenizer.json` of Hugging Face, or a `vocab.json` that holds the steering tokens too.
 *
 * @throws ReframeError `model_corrupt` for something else.
 */
export function readByteTokens(file: Uint8Array): ByteTokens {
  const ids = idsOf(file);
  const tokens: string[] = [];
  for (const [token, id] of ids) tokens[id] = token;
  return {
    idOf: token => ids.get(token),
    idOfText: text => ids.get([...new TextEncoder().encode(text)].map(byte => letterOfByte[byte]).join('')),
    textOf(wanted) {
      const decoder = new TextDecoder();
      return wanted.map(id => {
        const token = tokens[id] ?? '';
        const bytes = [...token].map(letter => byteOfLetter.get(letter));
        const isText = !isSteering(token) && bytes.every(byte => byte !== undefined);
        // A decoder that streams gives a letter with its last byte.
        return isText ? decoder.decode(Uint8Array.from(bytes as number[]), { stream: true }) : '';
      });
    },
  };
}

const isSteering = (token: string): boolean => /^<\|.*\|>$/.test(token);

function idsOf(file: Uint8Array): Map<string, number> {
  const corrupt = (why: string) => new ReframeError('model_corrupt', `The list of tokens ${why}.`);
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(file));
  } catch {
    throw corrupt('is no JSON');
  }
  const { model, added_tokens: added } = (json ?? {}) as {
    model?: { vocab?: unknown };
    added_tokens?: { id?: unknown; content?: unknown }[];
  };
  const entries = [
    ...Object.entries((model?.vocab ?? json ?? {}) as object),
    ...(Array.isArray(added) ? added.map(({ content, id }) => [content, id]) : []),
  ].filter((entry): entry is [string, number] => Number.isInteger(entry[1]));
  const ids = new Map(entries);
  if (!ids.has('<|startoftranscript|>'))
    throw corrupt(
      'has no <|startoftranscript|>: a tokenizer.json has, and a vocab.json that was made complete',
    );
  return ids;
}
