import { alignTokens } from '../core/align-tokens.js';
import { concat } from '../core/series.js';
import { whisperMel, whisperRows, whisperSamples } from '../core/whisper-mel.js';
import { ReframeError } from '../schema/error.js';
import type { ByteTokens } from './byte-tokens.js';
import { likeliest } from './likeliest.js';
import { createMergedDecoder } from './merged-decoder.js';
import type { Output, Session } from './session.js';
import type { SpokenToken, TranscriptionModel } from './transcription-model.js';

const sampleRateHz = 16_000;
/** Half of the decoder's context, as in openai/whisper (`decoding.py`: sample_len). */
const mostTokens = 224;
/** Frames of the encoder a second. */
const frameRateHz = 50;
/** Where ordinary tokens end in lists for English alone; those for many languages have one more. */
const endOfEnglish = 50_256;

export type WhisperOptions = {
  readonly encoder: Session;
  /** A merged decoder; one with its cross-attention among its outputs gives times of words. */
  readonly decoder: Session;
  readonly tokens: ByteTokens;
  /** The model's id. */
  readonly name: string;
  /** BCP 47 tag of what is spoken. */
  readonly language: string;
};

/**
 * Whisper (Radford et al. 2022, https://arxiv.org/abs/2212.04356) in any size: an encoder of 30 s of sound, and a decoder
 * that writes the likeliest token at a time, told the language and to write neither times nor a translation. Signs that
 * nobody says are not written, nor an empty beginning (the rules of openai/whisper). Sessions run on `wasm`.
 *
 * @throws ReframeError `model_corrupt` for graphs or tokens of another form, `model_unavailable` for a language that the
 * tokens do not have.
 */
export function createWhisper(options: WhisperOptions): TranscriptionModel {
  const { encoder, decoder: writing, tokens, name, language } = options;
  const bands = Number(encoder.inputShapes.input_features?.[1]);
  if (!(bands > 0))
    throw new ReframeError(
      'model_corrupt',
      `The encoder of "${name}" does not say how many mel bands it takes.`,
    );
  const decoder = createMergedDecoder(writing, name, (heads, size) => [1, heads, 0, size]);
  const prompt = promptOf(tokens, name, language);
  const endToken = idOf(tokens, name, '<|endoftext|>');
  const unspoken = unspokenTokens(tokens);
  const hasTimes = decoder.attentionNames.length > 0;

  /** Writes tokens until the end; with each the weights of all heads of all layers over the frames that hold sound. */
  async function decode(hidden: Output, frames: number, signal: AbortSignal | undefined) {
    const step = decoder.begin(hidden);
    const ids: number[] = [];
    const logProbabilities: number[] = [];
    const attention: Float32Array[] = [];
    let next: readonly number[] = prompt;
    while (ids.length < mostTokens) {
      signal?.throwIfAborted();
      const outputs = await step(next);
      // What comes behind the end are tokens that steer, and times.
      const logits = lastRow(outputs.logits!).slice(0, endToken + 1);
      for (const id of unspoken) logits[id] = Number.NEGATIVE_INFINITY;
      if (!ids.length)
        for (const id of [tokens.idOfText(' '), endToken])
          if (id !== undefined) logits[id] = Number.NEGATIVE_INFINITY;
      const { id, logProbability } = likeliest(logits);
      ids.push(id);
      logProbabilities.push(logProbability);
      attention.push(concat(decoder.attentionNames.map(output => heardRows(outputs[output]!, frames))));
      if (id === endToken) break;
      next = [id];
    }
    return { ids, logProbabilities, attention };
  }

  return {
    name,
    language,
    longestSec: whisperSamples / sampleRateHz,
    notes: hasTimes
      ? []
      : [
          `"${name}" does not say what it listens to: times of words are spread over each piece of speech by their letters.`,
        ],
    async transcribe(samples, signal) {
      const lengthSec = samples.length / sampleRateHz;
      if (samples.length > whisperSamples)
        throw new RangeError(`${lengthSec} s of sound; ${name} takes 30 s.`);
      signal?.throwIfAborted();
      const { last_hidden_state: hidden } = await encoder.run({
        input_features: { kind: 'cpu', dims: [1, bands, whisperRows], data: whisperMel(samples, bands) },
      });
      const frames = Math.min(hidden!.dims[1]!, Math.max(1, Math.ceil(lengthSec * frameRateHz)));
      const { ids, logProbabilities, attention } = await decode(hidden!, frames, signal);
      const texts = tokens.textOf(ids);
      const times = hasTimes
        ? alignTokens(attention, frames).map(({ firstFrame, lastFrame }) => [
            firstFrame / frameRateHz,
            Math.min(lengthSec, (lastFrame + 1) / frameRateHz),
          ])
        : spread(texts, lengthSec);
      return texts.flatMap((text, i): SpokenToken[] => {
        const [startSec, endSec] = times[i] as [number, number];
        return text ? [{ text, startSec, endSec, logProbability: logProbabilities[i]! }] : [];
      });
    },
    async close() {
      await encoder.close();
      await writing.close();
    },
  };
}

/** What a text begins with: that it does, in which language, that it is no translation, and that no times are written. */
function promptOf(tokens: ByteTokens, name: string, language: string): number[] {
  const start = idOf(tokens, name, '<|startoftranscript|>');
  const timeless = idOf(tokens, name, '<|notimestamps|>');
  const primary = language.split('-')[0]!.toLowerCase();
  const knowsEnglishAlone = tokens.idOf('<|endoftext|>') === endOfEnglish;
  const spoken = knowsEnglishAlone ? undefined : tokens.idOf(`<|${primary}|>`);
  if (knowsEnglishAlone ? primary !== 'en' : spoken === undefined)
    throw new ReframeError('model_unavailable', `"${name}" does not know the language ${language}.`);
  return spoken === undefined
    ? [start, timeless]
    : [start, spoken, idOf(tokens, name, '<|transcribe|>'), timeless];
}

function idOf(tokens: ByteTokens, name: string, token: string): number {
  const id = tokens.idOf(token);
  if (id === undefined) throw new ReframeError('model_corrupt', `The tokens of "${name}" have no ${token}.`);
  return id;
}

/** Signs that stand in subtitles for what is not said (openai/whisper, `tokenizer.py`: non_speech_tokens). */
const signs = [
  ...'"#()*+/:;<=>@[\\]^_`{|}~「」『』♩♪♫♬♭♮♯',
  ...'<< >> <<< >>> -- --- -( -[ (\' (" (( )) ((( ))) [[ ]] {{ }} ♪♪ ♪♪♪'.split(' '),
];

/** Tokens that are never written: such signs, alone or behind a space; a hyphen or quote only where it begins a word. */
const unspokenTokens = (tokens: ByteTokens): number[] =>
  [' -', " '", ...signs.flatMap(sign => [sign, ` ${sign}`])].flatMap(text => tokens.idOfText(text) ?? []);

/** The numbers of the last of several tokens. */
const lastRow = ({ dims, data }: Output): Float32Array => data.slice(data.length - dims.at(-1)!);

/** `[1, heads, tokens, frames]` → of the last token, `[heads, heard frames]`: behind the sound is nothing to listen to. */
function heardRows({ dims, data }: Output, heard: number): Float32Array {
  const [, heads, count, frames] = dims as [number, number, number, number];
  const rows = Array.from({ length: heads }, (_, head) => {
    const at = (head * count + count - 1) * frames;
    return data.subarray(at, at + heard);
  });
  return concat(rows);
}

/** Times for texts as if each letter took as long. */
function spread(texts: readonly string[], lengthSec: number): (readonly [number, number])[] {
  const letters = texts.reduce((sum, text) => sum + text.length, 0) || 1;
  let at = 0;
  return texts.map(text => {
    const from = at;
    at += text.length;
    return [(from / letters) * lengthSec, (at / letters) * lengthSec] as const;
  });
}
