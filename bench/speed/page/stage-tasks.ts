import { createCpuCompositor } from '../../../src/compositing/cpu.js';
import { lowerFace } from '../../../src/core/face-crops.js';
import { cropAtFrame } from '../../../src/core/plan/crop-at.js';
import { createSpeakerModel, embeddingSize, speakerCropSpec } from '../../../src/inference/lr-asd.js';
import { openSession } from '../../../src/inference/session.js';
import { createSpeechDetector } from '../../../src/inference/silero.js';
import { createSpeakerScorer } from '../../../src/inference/speaker-scorer.js';
import { createWeights } from '../../../src/inference/weights.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import type { FfmpegUrls } from '../../../src/media/ffmpeg/ffmpeg-urls.js';
import { audioRateHz, type Display, type Media } from '../../../src/media/media.js';
import { createEncoder } from '../../../src/media/output/encoder.js';
import { openMedia } from '../../../src/media/source.js';
import { detectionStepSec } from '../../../src/pipeline/analysis/passes/faces-pass.js';
import type { Task } from '../../../src/rpc/protocol.js';
import { createCpuSampler } from '../../../src/sampling/cpu.js';
import type { Plan } from '../../../src/schema/plan.js';
import type { AnalysisResult } from '../../../src/schema/result.js';
import { copyFrame } from './copy-frame.js';

/** What every measurement of a stage is given. */
export type StageInput = {
  readonly file: File;
  readonly endSec: number;
  readonly ffmpeg: FfmpegUrls;
  /** Where the model files lie. */
  readonly modelsUrl: string;
  readonly result: AnalysisResult;
  readonly plan: Plan;
};

/** Seconds that the work took, without opening files and models. */
export type Measured = { readonly seconds: number; readonly count: number };

export type StageTasks = {
  readonly decode: Task<StageInput & { readonly decoder: 'webcodecs' | 'ffmpeg' }, Measured>;
  readonly sample: Task<StageInput, Measured>;
  readonly faces: Task<StageInput, Measured>;
  readonly speaker: Task<StageInput, Measured>;
  readonly sound: Task<StageInput & { readonly decoder: 'webcodecs' | 'ffmpeg' }, Measured>;
  readonly draw: Task<StageInput, Measured>;
  readonly encode: Task<StageInput, Measured>;
};

/** Pictures held in memory, gone through again and again: 30 of 1080p are 93 MB. */
const heldFrames = 30;

/** Each stage of a job alone, on what the others would have given it, with the settings the engine gives it on WASM. */
export function createStageTasks(): StageTasks {
  return {
    async decode({ file, endSec, ffmpeg, decoder }) {
      await using media = await open(file, ffmpeg, decoder);
      return await timed(async () => {
        let count = 0;
        for await (const { frame } of media.frames({ endSec })) {
          frame.close();
          count++;
        }
        return count;
      });
    },

    async sample({ file, endSec, ffmpeg, result }) {
      using held = await hold(file, ffmpeg, endSec);
      const sampler = createCpuSampler();
      const boxes = boxesByFrame(result);
      const { display, frames } = held;
      const spec = { ...faceInput(display), padValue: 114, scale: 1 / 255, channelOrder: 'rgb' as const };
      const everyFrames = Math.max(1, Math.round(detectionStepSec * held.frameRateHz));
      return await timed(async () => {
        for (let i = 0; i < result.range.frameCount; i++) {
          const picture = await sampler.open(frames[i % frames.length]!, display);
          await picture.thumbnail();
          if (i % everyFrames === 0) await picture.letterbox(spec);
          const grey = await picture.grey();
          for (const box of boxes.get(i) ?? []) await grey.faceCrops([box], speakerCropSpec);
          grey.close();
          picture.close();
        }
        return result.range.frameCount;
      });
    },

    async faces({ modelsUrl, result }) {
      const detector = createYolov8Face(await session(modelsUrl, 'yolov8n-face'), 'yolov8n-face');
      const size = faceInput(result.size);
      const data = Float32Array.from(
        { length: 3 * size.width * size.height },
        (_, i) => ((i * 37) % 256) / 255,
      );
      const sample = { kind: 'cpu' as const, dims: [1, 3, size.height, size.width], data };
      const count = result.diagnostics.stages.faces?.count ?? 0;
      await detector.detect(sample, result.size);
      try {
        return await timed(async () => {
          for (let i = 0; i < count; i++) await detector.detect(sample, result.size);
          return count;
        });
      } finally {
        await detector.close();
      }
    },

    async speaker({ modelsUrl, result, endSec }) {
      const model = createSpeakerModel({
        visual: await session(modelsUrl, 'lr-asd-visual'),
        audio: await session(modelsUrl, 'lr-asd-audio'),
        backend: await session(modelsUrl, 'lr-asd-backend'),
      });
      const crop = Float32Array.from(
        { length: speakerCropSpec.width * speakerCropSpec.height },
        (_, i) => i % 256,
      );
      const second = Float32Array.from({ length: audioRateHz }, (_, i) => Math.sin(i * i * 1e-4) / 4);
      await model.score(new Float32Array(25 * embeddingSize), new Float32Array(25 * embeddingSize), 25);
      try {
        return await timed(async () => {
          const scorer = await createSpeakerScorer(model);
          let crops = 0;
          for (let sec = 0; sec < endSec; sec++) await scorer.pushSound(second);
          for (const [run, track] of (result.parts.face_tracking_yolov8?.tracks ?? []).entries()) {
            const grid = (timeSec: number) => Math.round(timeSec * 25);
            for (let at = grid(track.first_seen); at <= grid(track.last_seen); at++, crops++)
              await scorer.pushCrop(run, at, crop);
            await scorer.endRun(run);
          }
          await scorer.finish();
          return crops;
        });
      } finally {
        await model.close();
      }
    },

    async sound({ file, endSec, ffmpeg, decoder, modelsUrl }) {
      await using media = await open(file, ffmpeg, decoder);
      const speech = createSpeechDetector(await session(modelsUrl, 'silero-vad'));
      try {
        return await timed(async () => {
          let samples = 0;
          for await (const block of media.audio({ endSec })) {
            samples += block.samples.length;
            await speech.push(block.samples);
          }
          await speech.finish();
          return samples;
        });
      } finally {
        await speech.close();
      }
    },

    async draw({ file, endSec, ffmpeg, plan }) {
      using held = await hold(file, ffmpeg, endSec);
      const compositor = createCpuCompositor({ width: plan.output_width, height: plan.output_height });
      return await timed(async () => {
        for (let i = 0; i < plan.frame_count; i++) {
          const { panels } = cropAtFrame(plan, plan.first_frame + i);
          const frame = held.frames[i % held.frames.length]!;
          (await compositor.compose(frame, held.display, { panels, background: 'black' })).close();
        }
        return plan.frame_count;
      });
    },

    async encode({ file, endSec, ffmpeg, plan }) {
      const size = { width: plan.output_width, height: plan.output_height };
      const drawn: VideoFrame[] = [];
      {
        using held = await hold(file, ffmpeg, endSec);
        const compositor = createCpuCompositor(size);
        for (const [i, frame] of held.frames.entries()) {
          const { panels } = cropAtFrame(plan, plan.first_frame + i);
          drawn.push(await compositor.compose(frame, held.display, { panels, background: 'black' }));
        }
      }
      try {
        return await timed(async () => {
          const encoder = await createEncoder({
            target: { kind: 'blob' },
            size,
            frameRateHz: plan.video_fps,
          });
          const duration = 1e6 / plan.video_fps;
          for (let i = 0; i < plan.frame_count; i++) {
            const timestamp = Math.round(i * duration);
            await encoder.add(new VideoFrame(drawn[i % drawn.length]!, { timestamp, duration }));
          }
          await encoder.finish();
          return plan.frame_count;
        });
      } finally {
        for (const frame of drawn) frame.close();
      }
    },
  };
}

/** Opens a file as something that `await using` closes. */
export async function open(
  file: File,
  ffmpeg: FfmpegUrls,
  decoder: 'webcodecs' | 'ffmpeg',
): Promise<Media & AsyncDisposable> {
  const media = await openMedia(file, { decoder, ffmpeg });
  return Object.assign(media, { [Symbol.asyncDispose]: () => media.close() });
}

/** Measures work that says how many things it did. */
export async function timed(work: () => Promise<number>): Promise<Measured> {
  const startMs = performance.now();
  const count = await work();
  return { seconds: (performance.now() - startMs) / 1000, count };
}

/** The detector's input for this picture, as long as the engine makes it. */
const faceInput = ({ width, height }: { readonly width: number; readonly height: number }) => {
  const scale = 640 / Math.max(width, height);
  return { width: Math.ceil((width * scale) / 32) * 32, height: Math.ceil((height * scale) / 32) * 32 };
};

/** One thread: that is what the engine gives each network on two cores, because they run side by side. */
async function session(modelsUrl: string, id: string) {
  const { bytes } = await createWeights({ base: modelsUrl, cache: false }).fetch(id, {});
  return openSession(bytes, id, { device: 'wasm', threads: 1 });
}

/** The first frames as copies in memory: a decoder's own would run out. */
async function hold(file: File, ffmpeg: FfmpegUrls, endSec: number) {
  await using media = await open(file, ffmpeg, 'webcodecs');
  const frames: VideoFrame[] = [];
  for await (const { frame } of media.frames({ endSec })) {
    frames.push(await copyFrame(frame));
    frame.close();
    if (frames.length === heldFrames) break;
  }
  const display: Display = media.facts.display;
  return {
    frames,
    display,
    frameRateHz: media.facts.frameRateHz,
    [Symbol.dispose]: () => {
      for (const frame of frames) frame.close();
    },
  };
}

function boxesByFrame({ parts, range }: AnalysisResult) {
  const byFrame = new Map<number, ReturnType<typeof lowerFace>[]>();
  for (const track of parts.face_tracking_yolov8?.tracks ?? []) {
    for (const { frame_number, x, y, width, height } of track.boxes) {
      const at = frame_number - range.firstFrame;
      const box = lowerFace(x + width / 2, y + height / 2, Math.max(width, height) / 2);
      byFrame.set(at, [...(byFrame.get(at) ?? []), box]);
    }
  }
  return byFrame;
}
