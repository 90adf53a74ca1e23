import ffmpegWasmUrl from '@ffmpeg/core/wasm?url';
import ffmpegCoreUrl from '@ffmpeg/core?url';
import {
  type AnalysisResult,
  createReframer,
  type EngineOptions,
  type ModelOptions,
} from '../../../src/index.js';

/** An analysis that a measuring script asks of the page. */
export type AnalysisJob = {
  readonly modelsUrl: string;
  readonly models?: Pick<ModelOptions, 'faceDetector' | 'speaker' | 'shotDetector'>;
  readonly engine?: Partial<Pick<EngineOptions, 'device' | 'decoder' | 'threads'>>;
};

declare global {
  var analyseFile: (job: AnalysisJob) => Promise<AnalysisResult>;
  var ready: boolean;
}

const absolute = (url: string) => new URL(url, location.href).href;

globalThis.analyseFile = async ({ modelsUrl, models, engine }) => {
  const reframer = createReframer({
    models: { base: modelsUrl, cache: false, ...models },
    ffmpeg: { coreUrl: absolute(ffmpegCoreUrl), wasmUrl: absolute(ffmpegWasmUrl) },
    ...engine,
  });
  try {
    return await reframer.analyse(document.querySelector<HTMLInputElement>('#file')!.files![0]!);
  } finally {
    reframer.close();
  }
};
globalThis.ready = true;
