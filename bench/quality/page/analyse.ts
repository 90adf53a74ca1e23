import ffmpegWasmUrl from '@ffmpeg/core/wasm?url';
import ffmpegCoreUrl from '@ffmpeg/core?url';
import {
  type AnalysisResult,
  createReframer,
  type EngineOptions,
  type ModelOptions,
  type SpeakerEvidence,
} from '../../../src/index.js';
import { writeEvidence } from '../../harness/evidence-text.js';

/** An analysis that a measuring script asks of the page. */
export type AnalysisJob = {
  readonly modelsUrl: string;
  readonly models?: Pick<ModelOptions, 'faceDetector' | 'speaker' | 'shotDetector'>;
  /** Whether to bring by what it was decided who speaks. */
  readonly evidence?: boolean;
  readonly engine?: Partial<Pick<EngineOptions, 'device' | 'decoder' | 'threads'>>;
};

declare global {
  /** The result and, where asked for and there is any, the evidence as `writeEvidence` writes it. */
  var analyseFile: (job: AnalysisJob) => Promise<{ result: AnalysisResult; evidence?: string }>;
  var ready: boolean;
}

const absolute = (url: string) => new URL(url, location.href).href;

globalThis.analyseFile = async ({ modelsUrl, models, engine, evidence: wanted }) => {
  const reframer = createReframer({
    models: { base: modelsUrl, cache: false, ...models },
    ffmpeg: { coreUrl: absolute(ffmpegCoreUrl), wasmUrl: absolute(ffmpegWasmUrl) },
    ...engine,
  });
  try {
    let evidence: string | undefined;
    const onEvidence = (found: SpeakerEvidence) => {
      evidence = writeEvidence(found);
    };
    const file = document.querySelector<HTMLInputElement>('#file')!.files![0]!;
    const result = await reframer.analyse(file, wanted ? { onEvidence } : {});
    return { result, ...(evidence !== undefined && { evidence }) };
  } finally {
    reframer.close();
  }
};
globalThis.ready = true;
