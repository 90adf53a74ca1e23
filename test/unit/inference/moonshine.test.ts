import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createMoonshine } from '../../../src/inference/moonshine.js';
import { openSession } from '../../../src/inference/session.js';
import { readTokenList } from '../../../src/inference/token-list.js';
import { describeTranscription } from '../../contract/transcription-contract.js';
import { buzz, openTinyTranscription } from '../../fixtures/tiny-transcription.js';
import { tinyDecoder, tinyEncoder, tinyTokens } from '../../fixtures/tiny-words.js';

const cache = new URL('../../../models/cache/', import.meta.url);
const shared = new URL('../../../../shared/', import.meta.url);
const tinyList = () => readTokenList(new TextEncoder().encode(tinyTokens.join('\n')));
const wasm = { device: 'wasm', threads: 1 } as const;

describe('on tiny graphs', () =>
  describeTranscription(openTinyTranscription, {
    samples: buzz(0.1, 0.3, 0.4, 0.2, 0),
    text: ' low louder mid',
  }));

test('words are where they are said', async () => {
  const model = await openTinyTranscription();
  const tokens = await model.transcribe(buzz(0.1, 0.3, 0.4, 0.2, 0));
  await model.close();
  tokens.forEach(({ startSec, endSec }, i) => {
    // The middle of each 0.4 s is what the graph attends to.
    expect(startSec).toBeLessThanOrEqual(0.4 * i + 0.2);
    expect(endSec).toBeGreaterThanOrEqual(0.4 * i + 0.2);
  });
});

test('it does not write more than people can say', async () => {
  const model = await openTinyTranscription();
  // Sound to the end: the graph never ends by itself.
  expect(await model.transcribe(buzz(0.1, 0.1))).toHaveLength(Math.trunc(0.8 * 6.5) + 2);
  await model.close();
});

test('a decoder without attention is refused, and says how to get one', async () => {
  const encoder = await openSession(tinyEncoder(), 'tiny', wasm);
  const decoder = await openSession(tinyDecoder(), 'tiny', wasm);
  const options = { encoder, decoder, tokens: tinyList(), name: 'tiny', language: 'en' };
  expect(() => createMoonshine(options)).toThrow(/--add words/);
});

test('letters spelt in bytes appear with their last byte', () => {
  const list = readTokenList(new TextEncoder().encode('<unk>\n<s>\n</s>\n<0xC3>\n<0xA9>\n▁caf'));
  expect(list.textOf([5, 3, 4, 99])).toEqual([' caf', '', 'é', '']);
  expect(() => readTokenList(new TextEncoder().encode('{"model": 1}'))).toThrow(/list of tokens/);
});

const files = ['moonshine-tiny-encoder.onnx', 'moonshine-tiny-decoder.onnx', 'moonshine-tokens.txt'];
const isHere = existsSync(shared) && files.every(file => existsSync(new URL(file, cache)));
const read = (file: string, folder: URL) => new Uint8Array(readFileSync(new URL(file, folder)));

test.skipIf(!isHere)(
  'the published files write a known sentence (needs npm run models -- --add words, ../shared)',
  async () => {
    const [encoder, decoder, list] = files.map(file => read(file, cache));
    const model = createMoonshine({
      encoder: await openSession(encoder!, files[0]!, wasm),
      decoder: await openSession(decoder!, files[1]!, wasm),
      tokens: readTokenList(list!),
      name: 'moonshine-tiny',
      language: 'en',
    });
    const sound = new Int16Array(read('golden/silero_test.wav', shared).slice(44).buffer);
    const tokens = await model.transcribe(
      Float32Array.from(sound.subarray(0, 128_000), value => value / 32_768),
    );
    await model.close();
    expect(tokens.map(({ text }) => text).join('')).toBe(
      ' and says, "How do I get to Dublin?" And the answer that comes back is, "Well, I wouldn\'t start from here, Sonny."',
    );
  },
);
