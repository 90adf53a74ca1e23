import type { WeightsOptions } from '../inference/weights.js';
import type { FfmpegUrls } from '../media/ffmpeg-urls.js';

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
};
