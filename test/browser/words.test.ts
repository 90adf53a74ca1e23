import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import {
  createReframer,
  diarizationSchema,
  type PartialResult,
  type ReframerOptions,
  type TranscribeSpeech,
  transcriptionSchema,
} from '../../src/index.js';
import { type DrawnSpec, regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip } from '../fixtures/encode-clip.js';
import { writeTinyModels } from '../fixtures/tiny-onnx.js';
import { tinyWaveVoice } from '../fixtures/tiny-voice.js';
import { tinyTokenizer, tinyWhisperDecoder, tinyWhisperEncoder } from '../fixtures/tiny-whisper.js';
import { writeTinyWords } from '../fixtures/tiny-words.js';

const voice = [
  { startSec: 0.4, endSec: 1.6 },
  { startSec: 3, endSec: 4.4 },
];
const spec: DrawnSpec = {
  size: { width: 320, height: 180 },
  timesSec: regularTimes(10, 60),
  shots: [{ startFrame: 0, discs: [] }],
  voice,
  flashFrames: [],
};
const models = {
  files: Object.fromEntries(writeTinyModels()),
  cache: false,
  shotDetector: 'model-free',
} as const;
const [encoder, decoder, tokenizer] = writeTinyWords().values();
const own = {
  ...{ encoder: encoder!, decoder: decoder!, tokenizer: tokenizer! },
  name: 'tiny',
  language: 'en-GB',
};
const withOwn: ReframerOptions = { device: 'wasm', threads: 1, models: { ...models, words: own } };
const want = ['transcription'] as const;

let clip: Blob;
beforeAll(async () => {
  ({ blob: clip } = await drawnClip(spec, { audioCodec: 'aac' }));
});

/** Whether each word lies in one of the stretches, give or take the gate's margins. */
const isSpoken = ({ start, end }: { readonly start: number; readonly end: number }) =>
  voice.some(({ startSec, endSec }) => start > startSec - 0.25 && end < endSec + 0.25);

test('a recogniser of the caller’s own writes words where they are said, in a worker of its own', async () => {
  const reframer = createReframer(withOwn);
  const partial: PartialResult[] = [];
  const { parts, diagnostics } = await reframer.analyse(clip, {
    want,
    onPartial: found => void partial.push(found),
  });
  const { model, language, words, segments, text } = v.parse(transcriptionSchema, parts.transcription);
  expect({ model, language }).toEqual({ model: 'tiny', language: 'en-GB' });
  expect(words.length).toBeGreaterThan(1);
  expect(words.filter(isSpoken)).toEqual(words);
  expect(segments.map(segment => segment.text).join(' ')).toBe(text);
  expect(partial[0]!.parts.transcription!.model).toBe('tiny');
  const used = diagnostics.models!.map(({ id, from, device }) => `${id} ${from} ${device}`);
  expect(used).toContain('moonshine-tiny-decoder caller wasm');
  expect(diagnostics.stages.words!.count).toBeGreaterThan(0);
  expect(Object.keys(parts)).toEqual(['transcription']);
  reframer.close();
});

test('a Whisper writes words too, and what it cannot do is said', async () => {
  const words = {
    ...{ family: 'whisper' as const, language: 'de', encoder: tinyWhisperEncoder() },
    ...{ decoder: tinyWhisperDecoder(false), tokenizer: tinyTokenizer() },
  };
  const reframer = createReframer({ device: 'wasm', threads: 1, models: { ...models, words } });
  const { parts, diagnostics } = await reframer.analyse(clip, { want });
  const { model, language, words: said } = v.parse(transcriptionSchema, parts.transcription);
  reframer.close();
  expect({ model, language }).toEqual({ model: 'whisper', language: 'de' });
  expect(said.length).toBeGreaterThan(1);
  expect(said.filter(isSpoken)).toEqual(said);
  expect(diagnostics.fallbacks).toContainEqual(expect.stringContaining('times of words are spread'));
});

test('voices are told apart by an embedding of the caller’s own, whatever its size', async () => {
  const url = URL.createObjectURL(new Blob([tinyWaveVoice()]));
  const reframer = createReframer({
    ...{ device: 'wasm', threads: 1 },
    models: { ...models, voiceModelUrl: url },
  });
  const { parts, diagnostics } = await reframer.analyse(clip, { want: ['diarization'] });
  reframer.close();
  URL.revokeObjectURL(url);
  const { model, speaker_count, segments } = v.parse(diarizationSchema, parts.diarization);
  // The same buzz twice: one voice.
  expect({ model, speaker_count }).toEqual({ model: 'own-voice', speaker_count: 1 });
  expect(segments.length).toBeGreaterThanOrEqual(2);
  expect(diagnostics.fallbacks).toContainEqual(expect.stringContaining('told apart by "own-voice"'));
  expect(diagnostics.models!.map(({ id, from }) => `${id} ${from}`)).toContain('edge-voice caller');
});

test('an embedding of another form is said, and voices are not told apart', async () => {
  const url = URL.createObjectURL(new Blob([tinyWhisperEncoder()]));
  const reframer = createReframer({
    ...{ device: 'wasm', threads: 1 },
    models: { ...models, voiceModelUrl: url },
  });
  const { diagnostics } = await reframer.analyse(clip, { want: ['diarization'] });
  reframer.close();
  URL.revokeObjectURL(url);
  expect(diagnostics.fallbacks).toContainEqual(
    expect.stringMatching(/^Voices are not told apart: .*no embedding of voices/),
  );
});

test('another language than the recogniser’s is refused, whatever its region', async () => {
  const reframer = createReframer(withOwn);
  await expect(reframer.analyse(clip, { want, language: 'de' })).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringMatching(/"tiny" understands en-GB, not de.*models\.words/),
  });
  const { parts } = await reframer.analyse(clip, { want, language: 'en-US' });
  expect(parts.transcription!.words.length).toBeGreaterThan(1);
  reframer.close();
});

test('a transcriber of the caller’s gets each piece of speech, and its words get their times', async () => {
  const calls: { readonly lengthSec: number; readonly language: string }[] = [];
  const transcriber: TranscribeSpeech = async (samples, { signal, language }) => {
    expect(signal.aborted).toBe(false);
    expect(samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0)).toBeCloseTo(1, 3);
    calls.push({ lengthSec: samples.length / 16_000, language });
    return [
      { word: 'Eins,', start: 0.1, end: 0.6 },
      { word: 'zwei.', start: 0.6, end: 1.1, confidence: 0.5 },
    ];
  };
  const reframer = createReframer({ device: 'wasm', threads: 1, models, transcriber });
  const { parts, diagnostics } = await reframer.analyse(clip, { want, language: 'de' });
  expect(calls).toHaveLength(2);
  expect(calls.every(({ lengthSec, language }) => lengthSec < 2 && language === 'de')).toBe(true);
  const { model, language, text, words } = parts.transcription!;
  expect({ model, language, text }).toEqual({
    model: 'caller',
    language: 'de',
    text: 'Eins, zwei. Eins, zwei.',
  });
  expect(words.map(({ confidence }) => confidence)).toEqual([1, 0.5, 1, 0.5]);
  expect(words.filter(isSpoken)).toEqual(words);
  expect(diagnostics.models!.map(({ id }) => id)).toEqual(['silero-vad']);
  reframer.close();
});

test.each([
  ['no list', 'Hello.', /transcriber: /],
  ['no times', [{ word: 'Hello.' }], /transcriber: 0\.start/],
  [
    'an end before its start',
    [{ word: 'Hello.', start: 1, end: 0 }],
    /transcriber: 0: start must not be after end/,
  ],
])('what a transcriber gives is checked: %s', async (_, given, message) => {
  const reframer = createReframer({ device: 'wasm', models, transcriber: async () => given as never });
  const refused = reframer.analyse(clip, { want });
  await expect(refused).rejects.toThrow(TypeError);
  await expect(refused).rejects.toThrow(message);
  reframer.close();
});

test('without its files the call says what makes them', async () => {
  const reframer = createReframer({ device: 'wasm', models });
  await expect(reframer.analyse(clip, { want })).rejects.toMatchObject({
    code: 'model_unavailable',
    message: expect.stringMatching(/npm run models -- --add words.*`words`/),
  });
  const { parts } = await reframer.analyse(clip, { want: ['scene_detection'] });
  expect(parts.scene_detection!.scene_count).toBe(1);
  reframer.close();
});

test('aborting while a piece is written rejects with the reason, and the next call works', async () => {
  const controller = new AbortController();
  let answers = false;
  const transcriber: TranscribeSpeech = async () => {
    if (!answers) controller.abort(new Error('enough'));
    return answers ? [] : new Promise<never>(() => {});
  };
  const reframer = createReframer({ device: 'wasm', models, transcriber });
  await expect(reframer.analyse(clip, { want, signal: controller.signal })).rejects.toThrow('enough');
  answers = true;
  const { parts } = await reframer.analyse(clip, { want });
  expect(parts.transcription!.words).toEqual([]);
  reframer.close();
});

test('without sound nothing is said, and no recogniser is needed', async () => {
  const { blob } = await drawnClip(spec, { audioCodec: 'none' });
  const reframer = createReframer({ device: 'wasm', models });
  const { parts } = await reframer.analyse(blob, { want });
  expect(parts.transcription).toEqual({ model: 'none', language: 'und', text: '', segments: [], words: [] });
  reframer.close();
});

/** The published files, which Vite serves from the checkout. */
const published = (name: string) => `/models/cache/moonshine-${name}`;
const isHere = await fetch(published('tokens.txt'), { method: 'HEAD' }).then(
  ({ ok, headers }) => ok && !headers.get('content-type')?.includes('html'),
);

test.skipIf(!isHere)(
  'the published recogniser stops when it is told to, and its worker serves the next call (needs npm run models -- --add words)',
  async () => {
    const long = await drawnClip({ ...spec, voice: [{ startSec: 0.2, endSec: 5.8 }] }, { audioCodec: 'aac' });
    const files = {
      encoder: published('tiny-encoder.onnx'),
      decoder: published('tiny-decoder.onnx'),
      tokenizer: published('tokens.txt'),
    };
    const reframer = createReframer({ device: 'wasm', threads: 1, models: { ...models, words: files } });
    const controller = new AbortController();
    const call = reframer.analyse(long.blob, {
      want,
      signal: controller.signal,
      onProgress: ({ stage }) => stage === 'analyse' && controller.abort(new Error('enough')),
    });
    await expect(call).rejects.toThrow('enough');
    // A worker that was ended for not stopping would have lost the models.
    const { diagnostics, parts } = await reframer.analyse(long.blob, { want });
    expect(parts.transcription!.model).toBe('moonshine');
    expect(diagnostics.models!.filter(({ id }) => id === 'moonshine-tiny-decoder')).toHaveLength(1);
    reframer.close();
  },
);
