import type { TranscriptionFamily } from '../inference/transcription-worker.js';
import type { ModelFile, WeightsOptions } from '../inference/weights.js';
import type { FfmpegUrls } from '../media/ffmpeg/ffmpeg-urls.js';

/** Speaker models, by what the ids of their three files begin with. */
export const speakerFamilies = ['edge-speaker', 'lr-asd', 'light-asd'] as const;
/** Which speaker model judges: this library's own, LR-ASD or Light-ASD. */
export type SpeakerFamily = (typeof speakerFamilies)[number];

/** What finds shots: a network, or rules that need no model. */
export const shotDetectors = ['edge-cuts', 'model-free'] as const;
/** What finds shots, as {@link ModelOptions} takes it. */
export type ShotDetector = (typeof shotDetectors)[number];

/** A recogniser of the caller's own, of the Moonshine or the Whisper family, in any size and language. */
export type WordsFiles = {
  /**
   * `moonshine` (default), or `whisper`: 30 s of log-mel rows in, a merged decoder with `use_cache_branch`, as both are
   * published for the web.
   */
  readonly family?: TranscriptionFamily;
  /** The encoder's `.onnx` file. */
  readonly encoder: ModelFile;
  /**
   * The merged decoder's, its cross-attention among its outputs (`npm run models -- --add words` makes such a file). A Whisper
   * decoder may lack those: times of words are then spread by letters, and `fallbacks` says so.
   */
  readonly decoder: ModelFile;
  /** Moonshine: SentencePiece's list of tokens, one a line. Whisper: its `tokenizer.json`. */
  readonly tokenizer: ModelFile;
  /** What results call the model. Default the family. */
  readonly name?: string;
  /** BCP 47 tag of what the model understands; a Whisper for many languages is told to write this one. Default `en`. */
  readonly language?: string;
};

/** Where models come from (see `createWeights`) and which are used. */
export type ModelOptions = Pick<
  WeightsOptions,
  'base' | 'files' | 'bundledBase' | 'allowDownloads' | 'cache' | 'manifest'
> & {
  /** Which detector finds faces, by its id in the manifest. Default `edge-face`. */
  readonly faceDetector?: string;
  /** Which speaker model judges. Default `edge-speaker`. */
  readonly speaker?: SpeakerFamily;
  /**
   * What finds shots. Default `edge-cuts`, a network; where its file is missing, the model-free analyser, which needs
   * none. A file of the TransNet V2 form is given as `files: { 'edge-cuts': … }`.
   */
  readonly shotDetector?: ShotDetector;
  /**
   * What writes down what is said, for the part `transcription`. Default Moonshine tiny for English, which does not ship:
   * `npm run models -- --add words` makes its files, and `base` names their folder.
   */
  readonly words?: WordsFiles;
  /**
   * A network that tells voices apart in the place of `edge-voice`: WeSpeaker's form (Kaldi's filter bank of 80 bands in) or
   * ReDimNet's (16 kHz sound in), embedding out. Its cosines are judged by the calibration of `edge-voice`, see
   * `voiceLikelihood`; both diarization and the decision who speaks hear with it.
   */
  readonly voiceModelUrl?: string | URL;
  /** Pixels along the longer side of the detector's input; a multiple of 32. */
  readonly faceLongSide?: number;
};

/** How workers do their work: plain data, so that the options cross threads. */
export type EngineOptions = {
  /** Where networks run. `auto` (default): WebGPU on a real GPU, else WASM. */
  readonly device: 'auto' | 'webgpu' | 'wasm';
  /** What reads sources. `auto` (default): WebCodecs where it can read the file, else ffmpeg. */
  readonly decoder: 'auto' | 'webcodecs' | 'ffmpeg';
  /**
   * Threads of the WASM backend; more than one needs a cross-origin isolated page. Default: up to four there,
   * else one.
   */
  readonly threads: number;
  /** Which models are used and where they come from. Default: the bundled ones. */
  readonly models: ModelOptions;
  /** URL of ONNX Runtime's `.wasm`, where the bundler's own guess is wrong. */
  readonly ortWasmUrl?: string;
  /** Where the ffmpeg.wasm core lies; without it, sources that WebCodecs cannot read are refused. */
  readonly ffmpeg?: FfmpegUrls;
};

/**
 * The same options with addresses that mean in a worker what they mean on the page: a worker reads relative ones from
 * its own script, and one that was started through a blob cannot read them at all.
 */
export function absoluteEngine(options: EngineOptions): EngineOptions {
  const { models, ortWasmUrl, ffmpeg } = options;
  const { base, bundledBase, files, words, voiceModelUrl } = models;
  return {
    ...options,
    models: {
      ...models,
      ...(base !== undefined && { base: absolute(base) }),
      ...(bundledBase !== undefined && { bundledBase: absolute(bundledBase) }),
      ...(files && { files: mapValues(files, absoluteFile) }),
      ...(voiceModelUrl !== undefined && { voiceModelUrl: absolute(voiceModelUrl) }),
      ...(words && {
        words: {
          ...words,
          encoder: absoluteFile(words.encoder),
          decoder: absoluteFile(words.decoder),
          tokenizer: absoluteFile(words.tokenizer),
        },
      }),
    },
    ...(ortWasmUrl !== undefined && { ortWasmUrl: absolute(ortWasmUrl) }),
    ...(ffmpeg && { ffmpeg: mapValues(ffmpeg, absolute) as FfmpegUrls }),
  };
}

const isAddress = (file: ModelFile): file is string | URL => typeof file === 'string' || file instanceof URL;

const absoluteFile = (file: ModelFile): ModelFile => (isAddress(file) ? absolute(file) : file);

const absolute = (url: string | URL): string => new URL(url, globalThis.location?.href).href;

function mapValues<Value, Mapped>(
  record: Readonly<Record<string, Value>>,
  map: (value: Value) => Mapped,
): Record<string, Mapped> {
  // Callers without types write `undefined` for what they leave out.
  const given = Object.entries(record).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [key, map(value)]));
}
