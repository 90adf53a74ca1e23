import { createCpuCompositor } from '../../compositing/cpu.js';
import { createGpuCompositor } from '../../compositing/webgpu.js';
import type { Media } from '../../media/media.js';
import type { ChunksDone } from '../../media/output/chunk-record.js';
import type { EncodeReport } from '../../media/output/encoder.js';
import type { OutputTarget } from '../../media/output/output-target.js';
import type { Task } from '../../rpc/protocol.js';
import type { Diagnostics } from '../../schema/diagnostics.js';
import type { Plan } from '../../schema/plan.js';
import { openSource, type SourceTask } from '../analysis/analysis-tasks.js';
import { chooseGpu } from '../choose-gpu.js';
import { createProgressMeter } from '../stages.js';
import { createStopwatch } from '../stopwatch.js';
import type { WorkerSource } from '../worker-source.js';
import { openClipFolder } from './clip-folder.js';
import { encodeClip } from './encode-clip.js';
import { type FrameTaker, render } from './render.js';

/** How the clip is written. */
export type RenderSettings = {
  /** Bits per second of the picture; the default follows size and frame rate. */
  readonly videoBitrate: number;
  /** Constant frame rate in Hz; absent keeps the source's own timing. */
  readonly frameRate: number;
};

export type RenderTask = SourceTask & {
  readonly plan: Plan;
  readonly settings: Partial<RenderSettings>;
  readonly target: 'storage' | 'memory' | 'stream';
  readonly fileName: string;
  /** Keeps closed chunks until the clip is complete, and takes over those of an earlier call; for `storage`. */
  readonly resumable?: boolean | 'keep';
  /** Seconds per chunk; tests make chunks short. */
  readonly chunkSec?: number;
};

/** What a render gives. */
export type RenderReport = {
  /** The clip; absent when it went to a stream of the caller. */
  readonly file?: Blob;
  /** Length of the clip in seconds. */
  readonly durationSec: number;
  /** What ran where, why, and for how long. */
  readonly diagnostics: Diagnostics;
};

/** What the render worker offers. */
export type RenderTasks = { readonly render: Task<RenderTask, RenderReport> };

export function createRenderTasks(): RenderTasks {
  return {
    async render({ source, engine, plan, settings, target, fileName, resumable, chunkSec }, context) {
      const { signal } = context;
      const stopwatch = createStopwatch();
      const meter = createProgressMeter(['render', 'audio'], context.onProgress);
      const size = { width: plan.output_width, height: plan.output_height };
      await using media = await openSource(source, engine, context);
      const { facts } = media;
      const { startSec, endSec } = rangeOf(plan, media);
      const { gpu, reason, isMissing } = await chooseGpu(engine);
      const compositor = gpu
        ? createGpuCompositor(gpu.device, size, gpu.videoImport)
        : createCpuCompositor(size);
      const constantRate = settings.frameRate === undefined ? {} : { frameRateHz: settings.frameRate };
      const draw = async (encoder: FrameTaker, done: ChunksDone) => {
        meter.begin('render', done.untilSec / (endSec - startSec), done.untilSec);
        if (!done.isComplete) {
          const { nextSourceSec: sourceSec, frames } = done;
          const range = {
            ...{ startSec, endSec, signal, ...constantRate },
            ...(sourceSec !== undefined && { from: { sourceSec, frames } }),
            onTime: (timeSec: number) =>
              meter.report('render', (timeSec - startSec) / (endSec - startSec), timeSec - startSec),
          };
          await render(media, plan, { compositor, encoder, stopwatch }, range);
        }
        meter.report('audio', 0, endSec - startSec);
      };
      // What draws is not part of the work: pictures of GPU and CPU are alike, and a lost GPU is a reason to
      // go on.
      const work = { plan, startSec, endSec, ...constantRate, facts, sizeBytes: sizeOf(source) };
      try {
        const { report, done, fallbacks } = await encodeClip(
          {
            target: await openTarget(target, fileName, chunk => context.ask('write', chunk)),
            size,
            frameRateHz: settings.frameRate ?? facts.frameRateHz,
            ...(settings.videoBitrate !== undefined && { videoBitrate: settings.videoBitrate }),
            ...(facts.audio && { sound: { media, startSec, endSec } }),
            ...(engine.ffmpeg && { ffmpeg: engine.ffmpeg }),
            ...(resumable && {
              resumable: {
                work,
                keep: resumable === 'keep',
                ...(chunkSec !== undefined && { chunkSec }),
              },
            }),
            signal,
          },
          { draw, stopwatch },
        );
        const file = report.blob ?? (await report.file?.getFile());
        meter.done(endSec - startSec);
        return {
          ...(file && { file }),
          durationSec: report.durationSec,
          diagnostics: {
            media: media.choice,
            pixels: compositor.kind,
            stages: stopwatch.stages,
            seconds: stopwatch.seconds,
            mediaSec: endSec - startSec,
            ...(done.frames > 0 && { resumedFromSec: done.nextSourceSec ?? endSec }),
            fallbacks: [
              ...fallbacks,
              ...(isMissing ? [`The processor draws: ${reason}`] : []),
              ...fallbacksOf(report),
            ],
            output: {
              video: `h264 by ${report.videoEncoder}`,
              audio: [report.audio.codec, report.audio.way].filter(Boolean).join(', '),
              sizeBytes: report.sizeBytes,
              frames: report.frames,
            },
          },
        };
      } finally {
        compositor.close();
        gpu?.device.destroy();
      }
    },
  };
}

type Ask = (chunk: unknown) => Promise<unknown>;

/** Only this worker writes to the browser's private storage; a stream of the caller's is fed through its thread. */
async function openTarget(target: RenderTask['target'], fileName: string, write: Ask): Promise<OutputTarget> {
  if (target === 'memory') return { kind: 'blob' };
  if (target === 'stream') {
    return {
      kind: 'stream',
      writable: new WritableStream({ write: async chunk => void (await write(chunk)) }),
    };
  }
  return { kind: 'file', directory: await openClipFolder(), name: fileName };
}

function fallbacksOf({ audio, videoEncoder }: EncodeReport): string[] {
  return [
    ...(videoEncoder === 'ffmpeg' ? ['This browser encodes no H.264; ffmpeg.wasm encoded the picture.'] : []),
    ...(audio.warning ? [audio.warning] : []),
  ];
}

/** Length of the source's bytes, where it is known without asking a server. */
const sizeOf = (source: WorkerSource): number | null => (source.kind === 'file' ? source.file.size : null);

/**
 * The stretch of the source that the plan's frames cover, by the source's own clock: a plan has the numbers
 * of its first and last frame, but times of keyframes only. What is heard before the first picture belongs to
 * the stretch.
 */
const rangeOf = ({ first_frame, frame_count }: Plan, media: Media) => ({
  startSec: first_frame === 0 ? media.facts.startSec : media.frameTimeSec(first_frame),
  endSec: media.frameTimeSec(first_frame + frame_count),
});
