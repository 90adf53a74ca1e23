import type { Caption } from '../../captions/captions.js';
import { captionsWithin } from '../../captions/captions-within.js';
import { toWebVtt } from '../../captions/to-webvtt.js';
import { createCpuCompositor } from '../../compositing/cpu.js';
import { createGpuCompositor } from '../../compositing/webgpu.js';
import { createClipClock } from '../../core/clip-clock.js';
import { type KeptStretch, keptStretches } from '../../core/kept-stretches.js';
import { shownBetween } from '../../core/plan/shown-between.js';
import { fingerprint } from '../../identity/fingerprint.js';
import type { Media } from '../../media/media.js';
import type { CaptionText } from '../../media/output/caption-track.js';
import type { Gap } from '../../media/output/chunk-record.js';
import type { EncodeReport } from '../../media/output/encoder.js';
import type { OutputTarget } from '../../media/output/output-target.js';
import type { Task } from '../../rpc/protocol.js';
import type { Diagnostics } from '../../schema/diagnostics.js';
import type { Plan } from '../../schema/plan.js';
import type { TimeRange } from '../../schema/time.js';
import { openSource, type SourceTask } from '../analysis/analysis-tasks.js';
import { chooseGpu } from '../choose-gpu.js';
import { createProgressMeter } from '../stages.js';
import { createStopwatch } from '../stopwatch.js';
import type { WorkerSource } from '../worker-source.js';
import { type BurnTask, createCaptionBurner } from './burn-captions.js';
import { openClipFolder } from './clip-folder.js';
import { encodeClip, type GapTaker } from './encode-clip.js';
import { render } from './render.js';

/** How the clip is written. */
export type RenderSettings = {
  /** Bits per second of the picture; the default follows size and frame rate. */
  readonly videoBitrate: number;
  /** Constant frame rate in Hz; absent keeps the source's own timing. */
  readonly frameRate: number;
};

/** Captions that become a text track of the clip. */
export type CaptionTrack = {
  /** On the source's clock, as `captions` makes them; those of other stretches are left out. */
  readonly captions: readonly Caption[];
  /** BCP 47 tag. */
  readonly language: string;
};

export type RenderTask = SourceTask & {
  readonly plan: Plan;
  /** What the clip shows of the plan's stretch, in order, without overlaps; default all of it. */
  readonly keep?: readonly TimeRange[];
  readonly settings: Partial<RenderSettings>;
  readonly captionTrack?: CaptionTrack;
  readonly burn?: BurnTask;
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
  /** Time of the source at which the clip begins, seconds. */
  readonly startSec: number;
  /** What of the source the clip shows, one after another: ends lie between frames, where the source is cut at all. */
  readonly kept: readonly TimeRange[];
  /** Length of the clip in seconds. */
  readonly durationSec: number;
  /** What ran where, why, and for how long. */
  readonly diagnostics: Diagnostics;
};

/** What the render worker offers. */
export type RenderTasks = { readonly render: Task<RenderTask, RenderReport> };

export function createRenderTasks(): RenderTasks {
  return {
    async render(task, context) {
      const { source, engine, plan, keep, settings, captionTrack, target, fileName, resumable, chunkSec } =
        task;
      const { signal } = context;
      const stopwatch = createStopwatch();
      const meter = createProgressMeter(['render', 'audio'], context.onProgress);
      const size = { width: plan.output_width, height: plan.output_height };
      await using media = await openSource(source, engine, context);
      const { facts } = media;
      const stretches = stretchesOf(plan, media, keep);
      const kept = stretches.map(({ startSec, endSec }) => ({ startSec, endSec }));
      const { startSec } = kept[0]!;
      const { endSec } = kept.at(-1)!;
      const captions = captionTrack && toText(captionTrack, kept);
      const burner = task.burn && (await createCaptionBurner(task.burn, size));
      const { gpu, reason, isMissing } = await chooseGpu(engine);
      const compositor = gpu
        ? createGpuCompositor(gpu.device, size, gpu.videoImport)
        : createCpuCompositor(size);
      const constantRate = settings.frameRate === undefined ? {} : { frameRateHz: settings.frameRate };
      const lengthSec = createClipClock(kept).durationSec;
      const draw = async (encoder: GapTaker) => {
        const { gaps } = encoder;
        const lengthOf = ({ startSec: from, until }: Gap) => (until?.sec ?? lengthSec) - from;
        let doneSec = lengthSec - gaps.reduce((sum, gap) => sum + lengthOf(gap), 0);
        meter.begin('render', doneSec / lengthSec, doneSec);
        for (const gap of gaps) {
          await encoder.begin(gap);
          const before = doneSec - gap.startSec;
          await render(
            media,
            plan,
            { compositor, encoder, stopwatch, ...(burner && { overlayAt: burner.overlayAt }) },
            {
              ...{ stretches, signal, ...constantRate, gap },
              onTime: clipSec => {
                const nowSec = Math.max(doneSec, before + clipSec);
                meter.report('render', nowSec / lengthSec, nowSec);
              },
            },
          );
          doneSec += lengthOf(gap);
        }
        meter.report('audio', 0, lengthSec);
      };
      // What draws is not part of the work: pictures of GPU and CPU are alike, and a lost GPU is a reason to
      // go on.
      const cuts = kept.length > 1 ? { kept } : {};
      const work = { startSec, endSec, ...cuts, ...constantRate, facts, source: await identityOf(source) };
      try {
        const { report, gaps, reused, fallbacks } = await encodeClip(
          {
            target: await openTarget(target, fileName, chunk => context.ask('write', chunk)),
            size,
            frameRateHz: settings.frameRate ?? facts.frameRateHz,
            ...(settings.videoBitrate !== undefined && { videoBitrate: settings.videoBitrate }),
            ...(facts.audio && { sound: { media, ranges: kept } }),
            ...(captions && { captions }),
            ...(engine.ffmpeg && { ffmpeg: engine.ffmpeg }),
            ...(resumable && {
              resumable: {
                work,
                shownBetween: (first, last) => {
                  const picture = stretches.flatMap(({ firstFrame, lastFrame }) =>
                    firstFrame > last || lastFrame < first
                      ? []
                      : shownBetween(plan, Math.max(first, firstFrame), Math.min(last, lastFrame)),
                  );
                  const captions = burner?.shownBetween(media.frameTimeSec(first), media.frameTimeSec(last));
                  // A chunk that shows no caption is the one of a clip without any.
                  return captions?.length ? { picture, captions } : picture;
                },
                keep: resumable === 'keep',
                ...(chunkSec !== undefined && { chunkSec }),
              },
            }),
            signal,
          },
          { draw, stopwatch },
        );
        const file = report.blob ?? (await report.file?.getFile());
        meter.done(lengthSec);
        return {
          ...(file && { file }),
          startSec,
          kept,
          durationSec: report.durationSec,
          diagnostics: {
            media: media.choice,
            pixels: compositor.kind,
            stages: stopwatch.stages,
            seconds: stopwatch.seconds,
            mediaSec: lengthSec,
            ...(reused && { resumedFromSec: gaps[0] ? (gaps[0].sourceSec ?? startSec) : endSec }),
            ...(reused !== undefined && { chunks: { reused, encoded: report.chunks! - reused } }),
            fallbacks: [
              ...fallbacks,
              ...(burner?.fallbacks ?? []),
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

/** Absent where nothing is said in the clip: a track needs a caption. */
function toText({ captions, language }: CaptionTrack, kept: readonly TimeRange[]): CaptionText | undefined {
  const own = captionsWithin(captions, kept);
  return own.length ? { webVtt: toWebVtt(own, { language }), language } : undefined;
}

function fallbacksOf({ audio, videoEncoder }: EncodeReport): string[] {
  return [
    ...(videoEncoder === 'ffmpeg' ? ['This browser encodes no H.264; ffmpeg.wasm encoded the picture.'] : []),
    ...(audio.warning ? [audio.warning] : []),
  ];
}

/** What tells a source's bytes from others, where that needs no server: three places of the file are read. */
const identityOf = async (source: WorkerSource): Promise<string | null> =>
  source.kind === 'file' ? fingerprint(source.file) : null;

/**
 * What the clip shows of the stretch that the plan's frames cover, by the source's own clock: a plan has the numbers
 * of its first and last frame, but times of keyframes only. What is heard before the first picture belongs to
 * the stretch.
 */
function stretchesOf(
  { first_frame, frame_count }: Plan,
  media: Media,
  keep: readonly TimeRange[] | undefined,
): KeptStretch[] {
  const timeSec = (frame: number) => media.frameTimeSec(frame);
  const startSec = first_frame === 0 ? media.facts.startSec : timeSec(first_frame);
  const stretches = keptStretches(keep, { first: first_frame, count: frame_count, startSec, timeSec });
  if (!stretches.length)
    throw new RangeError('keep has nothing of what the plan shows: the clip would be empty.');
  return stretches;
}
