import { type AnalysisResult, createReframer, type Plan, type Reframer } from '../../../src/index.js';
import { connectTasks, linkWorker } from '../../../src/rpc/connect.js';
import type { Diagnostics } from '../../../src/schema/diagnostics.js';
import { talkingClip } from '../../../test/fixtures/encode-clip.js';
import { ffmpegSingle, ffmpegThreaded } from '../../harness/page/ffmpeg-files.js';
import './layouts.js';
import './long-plan.js';
import type { MediaTasks, Preset } from './media-tasks.js';
import type { Measured, StageTasks } from './stage-tasks.js';

/** A whole job to time. `faceLongSide` is for the software GPU, which would take minutes. */
export type JobRequest = {
  readonly modelsUrl: string;
  readonly endSec: number;
  readonly decoder: 'webcodecs' | 'ffmpeg';
  readonly device: 'wasm' | 'webgpu';
  readonly faceLongSide?: number;
};

export type JobTimes = {
  readonly seconds: number;
  readonly analysis: Diagnostics;
  readonly render: Diagnostics;
};

/** One measurement of a part. */
export type PartRequest =
  | { readonly kind: 'stage'; readonly name: keyof StageTasks; readonly decoder: 'webcodecs' | 'ffmpeg' }
  | { readonly kind: 'sampling'; readonly by: By; readonly density: 'five' | 'every' }
  | { readonly kind: 'rendering'; readonly by: By; readonly preset: Preset };
export type By = 'us' | 'ffmpeg' | 'ffmpeg-threads';

declare global {
  var useSample: () => Promise<void>;
  var timeJob: (request: JobRequest) => Promise<JobTimes>;
  var timePart: (request: PartRequest, endSec: number, modelsUrl: string) => Promise<Measured>;
  var ready: boolean;
}

let sample: File | undefined;
let last: { readonly result: AnalysisResult; readonly plan: Plan } | undefined;
const reframers = new Map<string, Reframer>();
const sourceFile = () => sample ?? document.querySelector<HTMLInputElement>('#file')!.files![0]!;

globalThis.useSample = async () => {
  sample = new File([(await talkingClip({ videoBitrate: 4_000_000 })).blob], 'sample.mp4');
};

/** Loads models and workers by a short analysis first, so that only the work itself is timed. */
globalThis.timeJob = async ({ modelsUrl, endSec, decoder, device, faceLongSide }) => {
  const key = `${decoder} ${device}`;
  let reframer = reframers.get(key);
  if (!reframer) {
    reframer = createReframer({
      decoder,
      device,
      models: { base: modelsUrl, cache: false, ...(faceLongSide && { faceLongSide }) },
      ffmpeg: ffmpegSingle,
    });
    reframers.set(key, reframer);
    await reframer.reframe(sourceFile(), { endSec: Math.min(0.5, endSec), target: 'memory' });
  }
  const startMs = performance.now();
  const { result, plan, clip } = await reframer.reframe(sourceFile(), { endSec, target: 'memory' });
  const seconds = (performance.now() - startMs) / 1000;
  if (device === 'wasm') last = { result, plan };
  else reframer.close();
  return { seconds, analysis: result.diagnostics, render: clip.diagnostics };
};

/** Each measurement has a fresh worker, so that none inherits another's memory. */
globalThis.timePart = async (request, endSec, modelsUrl) => {
  const worker = new Worker(new URL('./speed.worker.ts', import.meta.url), { type: 'module' });
  const bench = connectTasks<StageTasks & MediaTasks>(linkWorker(worker));
  const file = sourceFile();
  try {
    if (request.kind === 'stage') {
      const { decoder } = request;
      return await bench.call(request.name, {
        file,
        endSec,
        ffmpeg: ffmpegSingle,
        modelsUrl,
        decoder,
        ...last!,
      });
    }
    const { by } = request;
    const input = { file, endSec, ffmpeg: by === 'ffmpeg-threads' ? ffmpegThreaded : ffmpegSingle };
    const { plan } = last!;
    if (request.kind === 'sampling') {
      const { density } = request;
      return await bench.call(by === 'us' ? 'sampleByUs' : 'sampleByFfmpeg', { ...input, density });
    }
    const { preset } = request;
    return await bench.call(by === 'us' ? 'renderByUs' : 'renderByFfmpeg', { ...input, plan, preset });
  } finally {
    bench.close();
  }
};
globalThis.ready = true;
