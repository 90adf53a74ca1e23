import { audioFeatures, featureSize } from '../../../src/core/audio-features.js';
import { iou } from '../../../src/core/box.js';
import { movingMean } from '../../../src/core/moving-mean.js';
import { createReframer } from '../../../src/index.js';
import { createSpeakerModel, embeddingSize, speakerCropSpec } from '../../../src/inference/lr-asd.js';
import { windowedScore } from '../../../src/inference/score-windows.js';
import { openSession } from '../../../src/inference/session.js';
import { audioRateHz } from '../../../src/media/media.js';
import { openMedia } from '../../../src/media/source.js';
import { createCpuSampler } from '../../../src/sampling/cpu.js';
import { ffmpegSingle } from '../../harness/page/ffmpeg-files.js';
import { largestGap, type ReadModel } from './compare-devices.js';

/** What is read of a reference file: one face throughout, at 25 frames per second. */
export type Reference = {
  readonly detections: readonly (readonly { readonly box: readonly [number, number, number, number] }[])[];
  readonly tracks: readonly [
    {
      readonly crop_rects_x0y0x1y1: readonly (readonly [number, number, number, number])[];
      readonly scores: {
        readonly 'lr-asd-ava': {
          readonly shared_encoder_windowed: readonly number[];
          readonly columbia_mean: readonly number[];
        };
      };
    },
  ];
};

export type Gap = { readonly mean: number; readonly max: number };

/** A file's scores against the reference's. */
export type FileParity = {
  /** Frames scored. */
  readonly frames: number;
  /** Our decoder and crops at the reference's rectangles: raw scores by the same protocol. */
  readonly atReferenceRects: Gap;
  /** The whole library: smoothed scores, against the reference's smoothed alike. */
  readonly wholeLibrary: Gap;
  /** The same without the six frames at each end, where the reference's median filter takes in zeros. */
  readonly wholeLibraryInside: Gap;
  /** The same against the reference's original protocol, which runs the encoders on each window alone. */
  readonly originalProtocol: Gap;
  /** Overlap of our boxes with the reference's detections. */
  readonly meanIou: number;
  readonly minIou: number;
  /** Frames on which the sign of the raw score is the reference's. */
  readonly sameSign: number;
};

const edgeFrames = 6;

/** Scores a file through one reader in both ways. */
export async function scoreFile(
  file: File,
  reference: Reference,
  options: { readonly decoder: 'webcodecs' | 'ffmpeg'; readonly modelsUrl: string; readonly read: ReadModel },
): Promise<FileParity> {
  const [track] = reference.tracks;
  const { shared_encoder_windowed: expected, columbia_mean: original } = track.scores['lr-asd-ava'];
  const frames = expected.length;
  const raw = await scoreAt(file, track.crop_rects_x0y0x1y1.slice(0, frames), options);
  const smoothed = movingMean(Float64Array.from(expected), 5);

  const reframer = createReframer({
    decoder: options.decoder,
    device: 'wasm',
    models: { base: options.modelsUrl, cache: false },
    ffmpeg: ffmpegSingle,
  });
  try {
    const { parts } = await reframer.analyse(file);
    const scores = parts.active_speaker!.tracks[0]!.scores.slice(0, frames).map(({ score }) => score);
    const boxes = parts.face_tracking_yolov8!.tracks[0]!.boxes;
    const overlaps = boxes.map(box => {
      const [left, top, right, bottom] = reference.detections[box.frame_number]![0]!.box;
      return iou(box, { x: left, y: top, width: right - left, height: bottom - top });
    });
    const inside = [edgeFrames, frames - edgeFrames] as const;
    return {
      frames: scores.length,
      atReferenceRects: gap(raw, expected),
      wholeLibrary: gap(scores, smoothed),
      wholeLibraryInside: gap(scores.slice(...inside), smoothed.slice(...inside)),
      originalProtocol: gap(scores, movingMean(Float64Array.from(original), 5)),
      meanIou: overlaps.reduce((sum, value) => sum + value, 0) / overlaps.length,
      minIou: Math.min(...overlaps),
      sameSign: expected.filter((value, i) => value > 0 === raw[i]! > 0).length / frames,
    };
  } finally {
    reframer.close();
  }
}

/** Raw scores from crops at given rectangles (left, top, right, bottom of the reference's 224×224 crop). */
async function scoreAt(
  file: File,
  rects: readonly (readonly [number, number, number, number])[],
  { decoder, read }: { readonly decoder: 'webcodecs' | 'ffmpeg'; readonly read: ReadModel },
): Promise<Float32Array> {
  const open = async (name: string) => openSession(await read(name), name, { device: 'wasm', threads: 1 });
  const model = createSpeakerModel({
    visual: await open('lr-asd-ava-visual.w16'),
    audio: await open('lr-asd-ava-audio.w16'),
    backend: await open('lr-asd-ava-backend'),
  });
  const media = await openMedia(file, { decoder, ffmpeg: ffmpegSingle });
  const sampler = createCpuSampler();
  const { width, height } = speakerCropSpec;
  const crops = new Float32Array(rects.length * width * height);
  const sound = new Float32Array(rects.length * (audioRateHz / 25));
  try {
    for await (const { frame, frameNumber } of media.frames()) {
      const picture = await sampler.open(frame, media.facts.display).finally(() => frame.close());
      const rect = rects[frameNumber];
      if (rect) {
        const [left, top, right, bottom] = rect;
        const [across, down] = [right - left, bottom - top];
        // The model sees the middle half of it.
        const box = { x: left + across / 4, y: top + down / 4, width: across / 2, height: down / 2 };
        const grey = await picture.grey();
        const crop = await grey.faceCrops([box], speakerCropSpec);
        crops.set(crop.map(Math.round), frameNumber * width * height);
        grey.close();
      }
      picture.close();
    }
    let at = 0;
    for await (const { samples } of media.audio()) {
      sound.set(samples.subarray(0, Math.max(0, sound.length - at)), Math.min(at, sound.length));
      at += samples.length;
    }
    const dims = [1, rects.length, height, width];
    const faces = await model.embedFaces({ kind: 'cpu', dims, data: crops });
    const features = Float32Array.from(audioFeatures(sound).subarray(0, 4 * rects.length * featureSize));
    const heard = await model.embedSound(features);
    return await windowedScore(model, faces.subarray(0, rects.length * embeddingSize), heard);
  } finally {
    await Promise.all([media.close(), model.close()]);
    sampler.close();
  }
}

function gap(a: ArrayLike<number>, b: ArrayLike<number>): Gap {
  const gaps = Array.from(a, (value, i) => Math.abs(value - b[i]!));
  return { mean: gaps.reduce((sum, value) => sum + value, 0) / gaps.length, max: largestGap(a, b) };
}
