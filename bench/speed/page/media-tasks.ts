import { createCpuCompositor } from '../../../src/compositing/cpu.js';
import { keptStretches } from '../../../src/core/kept-stretches.js';
import { type FfmpegSession, openFfmpegSession } from '../../../src/media/ffmpeg/ffmpeg-session.js';
import type { FfmpegUrls } from '../../../src/media/ffmpeg/ffmpeg-urls.js';
import { createEncoder } from '../../../src/media/output/encoder.js';
import { detectionStepSec } from '../../../src/pipeline/analysis/passes/faces-pass.js';
import { render } from '../../../src/pipeline/rendering/render.js';
import { createStopwatch } from '../../../src/pipeline/stopwatch.js';
import type { Task } from '../../../src/rpc/protocol.js';
import { createCpuSampler } from '../../../src/sampling/cpu.js';
import { thumbnailSize } from '../../../src/sampling/sampler.js';
import type { Plan } from '../../../src/schema/plan.js';
import { type Measured, open, timed } from './stage-tasks.js';

export type MediaInput = { readonly file: File; readonly endSec: number; readonly ffmpeg: FfmpegUrls };
/** `five`: a detector's picture five times a second, as the analysis takes them; `every`: of each frame. */
export type Density = 'five' | 'every';
export type Preset = 'ultrafast' | 'veryfast';

/** Decoding with sampling, and rendering, by this library and by ffmpeg.wasm alone. */
export type MediaTasks = {
  readonly sampleByUs: Task<MediaInput & { readonly density: Density }, Measured>;
  readonly sampleByFfmpeg: Task<MediaInput & { readonly density: Density }, Measured>;
  readonly renderByUs: Task<MediaInput & { readonly plan: Plan }, Measured>;
  readonly renderByFfmpeg: Task<MediaInput & { readonly plan: Plan; readonly preset: Preset }, Measured>;
};

/** The detector's picture of 16:9 video, without its padding. */
const small = { width: 640, height: 360 };

export function createMediaTasks(): MediaTasks {
  return {
    async sampleByUs({ file, endSec, ffmpeg, density }) {
      await using media = await open(file, ffmpeg, 'webcodecs');
      const { display, frameRateHz } = media.facts;
      const sampler = createCpuSampler();
      const spec = { ...small, padValue: 114, scale: 1 / 255, channelOrder: 'rgb' } as const;
      const every = everyFrames(density, frameRateHz);
      return await timed(async () => {
        let count = 0;
        for await (const { frame } of media.frames({ endSec })) {
          const picture = await sampler.open(frame, display);
          frame.close();
          await picture.thumbnail();
          if (count++ % every === 0) await picture.letterbox(spec);
          picture.close();
        }
        return count;
      });
    },

    async sampleByFfmpeg({ file, endSec, ffmpeg, density }) {
      await using media = await open(file, ffmpeg, 'webcodecs');
      const every = everyFrames(density, media.facts.frameRateHz);
      const { width, height } = thumbnailSize;
      const graph = [
        '[0:v]split[a][b]',
        `[a]scale=${width}:${height}:flags=area,format=rgb24[thumbnails]`,
        `[b]select=not(mod(n\\,${every})),scale=${small.width}:${small.height}:flags=bilinear,format=rgb24[pictures]`,
      ].join(';');
      return await withFfmpeg(ffmpeg, file, async session => {
        const raw = ['-vsync', 'passthrough', ...threadsOf(ffmpeg), '-f', 'rawvideo'];
        await run(session, [
          ...['-t', String(endSec), '-i', session.inputPath, '-filter_complex', graph],
          ...['-map', '[thumbnails]', ...raw, '/thumbnails'],
          ...['-map', '[pictures]', ...raw, '/pictures'],
        ]);
        await session.read('/pictures');
        return (await session.read('/thumbnails')).length / (3 * width * height);
      });
    },

    async renderByUs({ file, endSec, ffmpeg, plan }, { signal }) {
      await using media = await open(file, ffmpeg, 'webcodecs');
      const size = { width: plan.output_width, height: plan.output_height };
      const compositor = createCpuCompositor(size);
      return await timed(async () => {
        const encoder = await createEncoder({ target: { kind: 'blob' }, size, frameRateHz: plan.video_fps });
        const tools = { compositor, encoder, stopwatch: createStopwatch() };
        const frames = { first: 0, count: plan.frame_count, startSec: 0, timeSec: media.frameTimeSec };
        const stretches = keptStretches([{ startSec: 0, endSec }], frames);
        await render(media, plan, tools, { stretches, signal, onTime: () => {} });
        return (await encoder.finish()).frames;
      });
    },

    async renderByFfmpeg({ file, endSec, ffmpeg, plan, preset }) {
      const { x, y, width, height } = plan.segments[0]!.panels[0]!.keyframes[0]!;
      const crop = [width, height, x, y].map(side => 2 * Math.round(side / 2)).join(':');
      // Our compositor magnifies by the same cubic kernel.
      const size = `${plan.output_width}:${plan.output_height}`;
      return await withFfmpeg(ffmpeg, file, async session => {
        const log = await run(session, [
          ...['-t', String(endSec), '-i', session.inputPath, '-an'],
          ...['-vf', `crop=${crop},scale=${size}:flags=bicubic`, '-c:v', 'libx264', '-preset', preset],
          ...['-pix_fmt', 'yuv420p', ...threadsOf(ffmpeg), '/clip.mp4'],
        ]);
        await session.read('/clip.mp4');
        return Number(/frame=\s*(\d+)/.exec(log.findLast(line => /frame=\s*\d/.test(line)) ?? '')?.[1] ?? 0);
      });
    },
  };
}

const everyFrames = (density: Density, frameRateHz: number) =>
  density === 'every' ? 1 : Math.max(1, Math.round(detectionStepSec * frameRateHz));

/** The session names two threads for the decoder; the encoder needs to be told as well, or x264 throws. */
const threadsOf = ({ workerUrl }: FfmpegUrls) => (workerUrl ? ['-threads', '2'] : []);

/** Measures work on a core that is loaded already. */
async function withFfmpeg(
  ffmpeg: FfmpegUrls,
  file: File,
  work: (session: FfmpegSession) => Promise<number>,
): Promise<Measured> {
  const session = await openFfmpegSession(ffmpeg, { file });
  try {
    return await timed(() => work(session));
  } finally {
    session.terminate();
  }
}

async function run(session: FfmpegSession, args: readonly string[]): Promise<readonly string[]> {
  const { code, log } = await session.exec(args);
  if (code !== 0) throw new Error(`ffmpeg answered ${code}: ${log.slice(-6).join(' | ')}`);
  return log;
}
