import { createReframer, type ReframerOptions } from '../../../src/index.js';
import { talkingClip } from '../../../test/fixtures/encode-clip.js';
import { loopClip } from '../../harness/page/loop-clip.js';

/** A long job: the chosen file, or the drawn sample where none is, at 640×360 and over and over. */
export type LongJob = {
  readonly modelsUrl: string;
  readonly manifest?: NonNullable<ReframerOptions['models']>['manifest'];
  readonly minutes: number;
};

declare global {
  /** Makes the long clip and runs a short job, so that models are loaded. @returns Seconds of the long clip. */
  var prepareLongJob: (job: LongJob) => Promise<number>;
  /** @returns How many frames were analysed and rendered. */
  var runLongJob: () => Promise<{ readonly analysed: number; readonly rendered: number }>;
  var reportStage: (stage: string) => void;
  var ready: boolean;
}

let prepared: { readonly reframer: ReturnType<typeof createReframer>; readonly file: File } | undefined;

globalThis.prepareLongJob = async ({ modelsUrl, manifest, minutes }) => {
  const reframer = createReframer({
    device: 'wasm',
    decoder: 'webcodecs',
    models: { base: modelsUrl, cache: false, ...(manifest && { manifest }) },
  });
  const chosen = document.querySelector<HTMLInputElement>('#file')!.files![0];
  const source = chosen ?? (await talkingClip({ videoBitrate: 2_000_000 })).blob;
  const shots = await reframer.analyse(source, { want: ['scene_detection'] });
  const small = reframer.plan(shots, {
    aspect: { width: 16, height: 9 },
    outputHeight: 360,
    camera: 'center',
    layout: 'single',
  });
  const { file: clip } = await reframer.render(source, small, { target: 'memory', videoBitrate: 600_000 });
  const file = await loopClip(clip!, 60 * minutes, 'long.mp4');
  // Longer than the longest window of the speaker model: every buffer has its size before the measurement begins.
  await reframer.reframe(file, { endSec: 12, fileName: 'warm-up.mp4' });
  prepared = { reframer, file };
  return (await reframer.probe(file)).facts.durationSec;
};

globalThis.runLongJob = async () => {
  const { reframer, file } = prepared!;
  let stage = '';
  const { result, clip } = await reframer.reframe(file, {
    fileName: 'long-portrait.mp4',
    onProgress: progress => {
      if (progress.stage !== stage) globalThis.reportStage(progress.stage);
      stage = progress.stage;
    },
  });
  reframer.close();
  return { analysed: result.range.frameCount, rendered: clip.diagnostics.output!.frames };
};
globalThis.ready = true;
