import { ALL_FORMATS, BlobSource, Input, VideoSampleSink } from 'mediabunny';
import { createReframer, type ReframerOptions } from '../../../src/index.js';
import type { ReframeJob } from '../../../src/schema/job.js';
import {
  createLocalService,
  type LocalService,
  openBrowserStore,
  type Pipeline,
} from '../../../src/service/index.js';
import { type DrawnSpec, regularTimes } from '../../../test/fixtures/drawn-clip.js';
import { drawnClip, talkingClip } from '../../../test/fixtures/encode-clip.js';
import { loopClip } from '../../harness/page/loop-clip.js';

/** Two discs that talk in turn, for the tiny models; or the drawn people of the sample, over and over. */
export type FaultClip = 'discs' | 'sample';

export type FaultSetup = {
  readonly modelsUrl?: string;
  readonly manifest?: NonNullable<ReframerOptions['models']>['manifest'];
  readonly advance: 'auto' | 'poll';
  /** Opens the source and then does nothing more, so that a page can be killed in the middle of it. */
  readonly staysInIngest?: boolean;
};

/** Where the pipeline is; the seconds are those of the media of this piece of work. */
export type WorkReport = {
  readonly work: 'ingest' | 'analyse' | 'render';
  /** Parts that the analysis computes. */
  readonly parts?: readonly string[];
  readonly processedSec: number;
  /** Where a piece of work that is done says that it began. */
  readonly resumedFromSec?: number;
};

/** What is there when a job has ended. */
export type FaultEnd = {
  readonly ledger: readonly string[];
  /** Pictures of the clip that could be decoded, and its length. */
  readonly frames: number;
  readonly durationSec: number;
  /** What the service's own record says was done again. */
  readonly repeatedSec: number;
  /** Names of everything that lies in the store's folder. */
  readonly files: readonly string[];
  readonly saves: number;
};

declare global {
  /** Makes the source, in the browser's private storage. @returns Its frames. */
  var makeFaultSource: (clip: FaultClip, seconds: number) => Promise<number>;
  var openFaultService: (setup: FaultSetup) => Promise<void>;
  var startFaultJob: () => Promise<string>;
  var pollFaultJob: (jobId: string) => Promise<ReframeJob>;
  var endFaultJob: (jobId: string) => Promise<FaultEnd>;
  var reportWork: (report: WorkReport) => Promise<void>;
  var ready: boolean;
}

const sourceName = 'source.mp4';
/** Height of the clips in pixels: what is measured does not depend on it. */
const outputHeight = 320;
const frameRateHz = 25;

const origin = 'http://service.test';
const storage = () => navigator.storage.getDirectory();
let service: LocalService | undefined;

globalThis.makeFaultSource = async (clip, seconds) => {
  if (clip === 'sample') {
    await loopClip((await talkingClip({ videoBitrate: 600_000 })).blob, seconds, sourceName);
  } else {
    const { blob } = await drawnClip(discs(seconds));
    const writable = await (
      await (await storage()).getFileHandle(sourceName, { create: true })
    ).createWritable();
    await blob.stream().pipeTo(writable);
  }
  return countFrames(await (await (await storage()).getFileHandle(sourceName)).getFile());
};

function discs(seconds: number): DrawnSpec {
  const turns = Array.from({ length: Math.ceil(seconds / 4) }, (_, i) => 4 * i);
  const turn = (startSec: number) => ({ startSec: startSec + 0.2, endSec: startSec + 1.8 });
  return {
    size: { width: 320, height: 180 },
    timesSec: regularTimes(frameRateHz, seconds * frameRateHz),
    shots: [
      {
        startFrame: 0,
        discs: [
          { x: 65, y: 80, radius: 20, mouth: turns.map(turn) },
          { x: 255, y: 80, radius: 20, mouth: turns.map(start => turn(start + 2)) },
        ],
      },
    ],
    voice: turns.flatMap(start => [turn(start), turn(start + 2)]),
  };
}

globalThis.openFaultService = async ({ modelsUrl, manifest, advance, staysInIngest }) => {
  const reframer = createReframer({
    device: 'wasm',
    decoder: 'webcodecs',
    models: { cache: false, ...(modelsUrl && { base: modelsUrl }), ...(manifest && { manifest }) },
  });
  const report = (told: WorkReport) => void globalThis.reportWork(told);
  const pipeline: Pipeline = {
    async probe(source, options) {
      report({ work: 'ingest', processedSec: 0 });
      if (staysInIngest) await new Promise(() => {});
      return reframer.probe(source, options);
    },
    async analyse(source, options = {}) {
      const parts = options.want ?? [];
      const result = await reframer.analyse(source, {
        ...options,
        onProgress(progress) {
          options.onProgress?.(progress);
          if (progress.stage === 'analyse')
            report({ work: 'analyse', parts, processedSec: progress.processedSec });
        },
      });
      const { mediaSec, resumedFromSec = 0 } = result.diagnostics;
      report({ work: 'analyse', parts, processedSec: mediaSec, resumedFromSec });
      return result;
    },
    plan: (result, request) => reframer.plan(result, { ...request, outputHeight }),
    advise: reframer.advise,
    async render(source, plan, options = {}) {
      const clip = await reframer.render(source, plan, {
        ...options,
        onProgress(progress) {
          options.onProgress?.(progress);
          if (progress.stage === 'render') report({ work: 'render', processedSec: progress.processedSec });
        },
      });
      const { mediaSec, resumedFromSec = 0 } = clip.diagnostics;
      report({ work: 'render', processedSec: mediaSec, resumedFromSec });
      return clip;
    },
  };
  service = createLocalService({
    reframer: pipeline,
    store: await openBrowserStore(),
    credits: 1000,
    advance,
  });
  await service.list();
};

const ask = async (path: string, body?: object) => {
  const headers = { 'Content-Type': 'application/json' };
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : {};
  return service!.fetch(new Request(origin + path, init));
};

globalThis.startFaultJob = async () => {
  const url = await service!.put(await (await storage()).getFileHandle(sourceName));
  return (await (await ask('/api/v2/reframe', { url })).json()).job_id;
};

globalThis.pollFaultJob = async jobId => (await ask(`/api/v2/reframe/${jobId}`)).json();

globalThis.endFaultJob = async jobId => {
  const summary = (await service!.list()).find(({ job_id }) => job_id === jobId)!;
  const clip = await (await ask(`/api/v2/download/${summary.video_id}?suffix=_reframe`)).blob();
  const durationSec = await playedSec(clip);
  const store = await openBrowserStore();
  const lines = (await store.all('ledger')).filter(({ video_id }) => video_id === summary.video_id);
  const saves = (await store.all('saves')).length;
  store.close();
  const folder = await (await storage()).getDirectoryHandle('edge-reframe');
  const files: string[] = [];
  for await (const name of folder.keys()) files.push(name);
  return {
    ledger: lines.map(({ kind, credits }) => `${kind} ${credits}`),
    frames: await countFrames(clip),
    durationSec,
    repeatedSec: summary.repeated_sec ?? 0,
    files,
    saves,
  };
};

/** Decodes all pictures of a clip. */
async function countFrames(clip: Blob): Promise<number> {
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(clip) });
  let frames = 0;
  for await (const sample of new VideoSampleSink((await input.getPrimaryVideoTrack())!).samples()) {
    frames++;
    sample.close();
  }
  return frames;
}

/** Has the browser's own player go to the end of a clip. @returns Where that is, in seconds. */
async function playedSec(clip: Blob): Promise<number> {
  const video = document.createElement('video');
  video.muted = true;
  video.src = URL.createObjectURL(clip);
  await new Promise((resolve, reject) => {
    video.onloadedmetadata = resolve;
    video.onerror = () => reject(new Error(video.error?.message));
  });
  video.currentTime = Math.max(0, video.duration - 0.2);
  video.playbackRate = 4;
  await new Promise((resolve, reject) => {
    video.onended = resolve;
    void video.play().catch(reject);
  });
  URL.revokeObjectURL(video.src);
  return video.duration;
}
globalThis.ready = true;
