import type { WeightsOptions } from '../inference/weights.js';

/** Where ffmpeg's core lies; needed only for files that WebCodecs cannot read. The core is GPL and never bundled. */
export type FfmpegUrls = {
  /** `ffmpeg-core.js` of @ffmpeg/core (its `dist/esm`). */
  readonly coreUrl: string;
  readonly wasmUrl: string;
  /** `ffmpeg-core.worker.js` of @ffmpeg/core-mt: only with the multi-threaded core, on an isolated page. */
  readonly workerUrl?: string;
  /** `worker.js` of @ffmpeg/ffmpeg, where no bundler finds it by itself. */
  readonly classWorkerUrl?: string;
};

/** Where models come from (see `createWeights`) and which are used. */
export type ModelOptions = Pick<WeightsOptions, 'base' | 'files' | 'allowDownloads' | 'cache'> & {
  /** Which detector finds faces, by its id in the manifest. */
  readonly faceDetector?: string;
  /** Pixels along the longer side of the detector's input; a multiple of 32. */
  readonly faceLongSide?: number;
};

/** How workers do their work: plain data, so that it crosses threads. */
export type EngineOptions = {
  /** `auto`: WebGPU on a real GPU, else WASM. */
  readonly device: 'auto' | 'webgpu' | 'wasm';
  /** `auto`: WebCodecs where it can read the file, else ffmpeg. */
  readonly decoder: 'auto' | 'webcodecs' | 'ffmpeg';
  /** Threads of the WASM backend; more than one needs a cross-origin isolated page. */
  readonly threads: number;
  readonly models: ModelOptions;
  /** URL of ONNX Runtime's `.wasm`, where the bundler's own guess is wrong. */
  readonly ortWasmUrl?: string;
  readonly ffmpeg?: FfmpegUrls;
  /** Module of @mediabunny/aac-encoder, for pages without a bundler. */
  readonly aacEncoderUrl?: string;
};
