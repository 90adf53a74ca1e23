import { describe, expect, test } from 'vitest';
import { readByteTokens } from '../../../src/inference/byte-tokens.js';
import { openSession, type Session, type SessionInput } from '../../../src/inference/session.js';
import { createWhisper } from '../../../src/inference/whisper.js';
import { describeTranscription } from '../../contract/transcription-contract.js';
import {
  openTinyWhisper,
  tinyTokenizer,
  tinyWhisperDecoder,
  tinyWhisperEncoder,
  tone,
} from '../../fixtures/tiny-whisper.js';

const samples = tone(0.001, 0.1, 1, 0.01, 0);
const text = ' low louder mid';

describe('with attention among the outputs', () =>
  describeTranscription(() => openTinyWhisper(), { samples, text }));
describe('without', () => describeTranscription(() => openTinyWhisper({ says: false }), { samples, text }));

test('words are where they are said', async () => {
  const model = await openTinyWhisper();
  const tokens = await model.transcribe(samples);
  await model.close();
  expect(model.notes).toEqual([]);
  tokens.forEach(({ startSec, endSec }, i) => {
    // The middle of each 0.4 s is what the graph attends to.
    expect(startSec).toBeLessThanOrEqual(0.4 * i + 0.2);
    expect(endSec).toBeGreaterThanOrEqual(0.4 * i + 0.2);
  });
});

test('without attention times are spread by letters, and that is said', async () => {
  const model = await openTinyWhisper({ says: false });
  const tokens = await model.transcribe(samples);
  await model.close();
  expect(model.notes).toEqual([expect.stringContaining('spread over each piece of speech')]);
  expect(tokens.map(({ startSec }) => Number(startSec.toFixed(3)))).toEqual(
    [0, 4, 8, 11].map(letters => Number(((2 * letters) / 15).toFixed(3))),
  );
  expect(tokens.at(-1)!.endSec).toBeCloseTo(2, 6);
});

test('neither a sign that nobody says nor an empty beginning is written', async () => {
  const model = await openTinyWhisper();
  // A bracket is the likeliest token where it is loud, the end where it is silent.
  const tokens = await model.transcribe(tone(0, 1, 0));
  await model.close();
  expect(tokens.map(token => token.text)).toEqual([' low', 'der']);
});

const wasm = { device: 'wasm', threads: 1 } as const;

/** What the decoder is given first, and second. */
async function givenTo(language: string, tokenizer = tinyTokenizer()) {
  const feeds: Readonly<Record<string, SessionInput>>[] = [];
  const decoder = await openSession(tinyWhisperDecoder(true), 'tiny', wasm);
  const listening: Session = {
    ...decoder,
    run(given) {
      feeds.push(given);
      if (feeds.length > 2) throw new Error('enough');
      return decoder.run(given);
    },
  };
  const encoder = await openSession(tinyWhisperEncoder(), 'tiny', wasm);
  const tokens = readByteTokens(tokenizer);
  const model = createWhisper({ encoder, decoder: listening, tokens, name: 'tiny', language });
  await expect(model.transcribe(samples)).rejects.toThrow('enough');
  await model.close();
  return feeds.slice(0, 2).map(({ input_ids, use_cache_branch, ...rest }) => ({
    ids: [...(input_ids as { data: BigInt64Array }).data].map(Number),
    goesOn: (use_cache_branch as { data: Uint8Array }).data[0],
    past: (rest['past_key_values.0.decoder.key'] as SessionInput).dims,
  }));
}

test('it is told the language, the task and to write no times, and then goes on with what it wrote', async () => {
  const tokens = readByteTokens(tinyTokenizer());
  const ids = (...names: string[]) => names.map(name => tokens.idOf(name));
  const [first, second] = await givenTo('de-CH');
  expect(first).toEqual({
    ids: ids('<|startoftranscript|>', '<|de|>', '<|transcribe|>', '<|notimestamps|>'),
    goesOn: 0,
    past: [1, 2, 0, 1],
  });
  expect(second).toEqual({ ids: ids('Ġlow'), goesOn: 1, past: [1, 2, 1, 1] });
});

test('one that knows English alone is told no language, and refuses others', async () => {
  const json = JSON.parse(new TextDecoder().decode(tinyTokenizer()));
  json.added_tokens.find((token: { content: string }) => token.content === '<|endoftext|>').id = 50_256;
  const english = new TextEncoder().encode(JSON.stringify(json));
  const tokens = readByteTokens(english);
  const [first] = await givenTo('en', english);
  expect(first!.ids).toEqual([tokens.idOf('<|startoftranscript|>'), tokens.idOf('<|notimestamps|>')]);
  await expect(givenTo('de', english)).rejects.toMatchObject({ code: 'model_unavailable' });
  await expect(givenTo('fr')).rejects.toMatchObject({ code: 'model_unavailable' });
});

test('graphs of another form are refused', async () => {
  const encoder = await openSession(tinyWhisperEncoder(), 'tiny', wasm);
  const decoder = await openSession(tinyWhisperDecoder(true), 'tiny', wasm);
  const given = { tokens: readByteTokens(tinyTokenizer()), name: 'tiny', language: 'en' };
  for (const wrong of [
    { encoder, decoder: encoder },
    { encoder: decoder, decoder },
  ])
    expect(() => createWhisper({ ...given, ...wrong })).toThrow(
      expect.objectContaining({ code: 'model_corrupt' }),
    );
});

describe('a list of tokens that spell bytes', () => {
  const listOf = (json: unknown) => readByteTokens(new TextEncoder().encode(JSON.stringify(json)));

  test('is read from a tokenizer.json and from a whole vocab.json', () => {
    const vocab = { Ġcaf: 0, Ã: 1, '©': 2, '!': 3, '<|startoftranscript|>': 4 };
    for (const list of [listOf({ model: { vocab } }), listOf(vocab)]) {
      // The letter appears with its last byte; what steers has no text, nor what is not there.
      expect(list.textOf([0, 1, 2, 3, 4, 99])).toEqual([' caf', '', 'é', '!', '', '']);
      expect(list.idOfText('!')).toBe(3);
      expect(list.idOfText(' caf')).toBe(0);
      expect(list.idOfText('no')).toBe(undefined);
    }
  });

  test('is refused where it cannot steer, or is none', () => {
    for (const wrong of [{ a: 1 }, [], null, { model: {} }])
      expect(() => listOf(wrong)).toThrow(expect.objectContaining({ code: 'model_corrupt' }));
    expect(() => readByteTokens(new TextEncoder().encode('<unk>'))).toThrow(/no JSON/);
  });
});
