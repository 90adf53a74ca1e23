import { registerAacEncoder } from '@mediabunny/aac-encoder';
import {
  AudioSample,
  AudioSampleSource,
  BufferTarget,
  Mp4OutputFormat,
  Output,
  VideoSample,
  VideoSampleSource,
  WebMOutputFormat,
} from 'mediabunny';

/** A clip to draw: every frame shows its own rank as black and white blocks and a disc that moves. */
export type ClipSpec = {
  readonly timesSec: readonly number[];
  readonly lastDurationSec: number;
  readonly width?: number;
  readonly height?: number;
  readonly rotation?: 0 | 90 | 180 | 270;
  readonly codec?: 'avc' | 'vp9' | 'av1';
  readonly container?: 'mp4' | 'webm';
  /** MP4 in fragments, as recorders and streams have it. Default false. */
  readonly fragmented?: boolean;
  readonly colorSpace?: VideoColorSpaceInit;
  /** A 1 kHz tone of full scale over each of these stretches. */
  readonly beepsSec?: readonly (readonly [start: number, end: number])[];
  /** When the sound track begins and ends on the file's clock. */
  readonly soundSec?: readonly [start: number, end: number];
  readonly audioCodec?: 'aac' | 'opus';
};

const bits = 8;
const block = 16;
export const soundRateHz = 48_000;

/** Draws, encodes and muxes a clip. */
export async function drawClip(spec: ClipSpec): Promise<File> {
  const { width = 192, height = 108, codec = 'avc', container = 'mp4', timesSec } = spec;
  const target = new BufferTarget();
  const output = new Output({
    format:
      container === 'mp4'
        ? new Mp4OutputFormat(spec.fragmented ? { fastStart: 'fragmented' } : {})
        : new WebMOutputFormat(),
    target,
  });
  const video = new VideoSampleSource({ codec, bitrate: 1_500_000, keyFrameInterval: 0.5 });
  output.addVideoTrack(video, spec.rotation ? { rotation: spec.rotation } : {});
  let audio: AudioSampleSource | undefined;
  if (spec.soundSec) {
    const audioCodec = audioCodecOf(spec);
    if (audioCodec === 'aac') registerAacEncoder();
    audio = new AudioSampleSource({ codec: audioCodec, bitrate: 128_000 });
    output.addAudioTrack(audio);
  }
  await output.start();
  for (const [rank, timeSec] of timesSec.entries()) {
    const end = timesSec[rank + 1] ?? timeSec + spec.lastDurationSec;
    using sample = new VideoSample(drawFrame(rank, width, height), {
      format: 'I420',
      codedWidth: width,
      codedHeight: height,
      timestamp: timeSec,
      duration: end - timeSec,
      ...(spec.colorSpace && { colorSpace: spec.colorSpace }),
    });
    await video.add(sample);
  }
  video.close();
  if (audio && spec.soundSec) {
    const [start, end] = spec.soundSec;
    const length = Math.round((end - start) * soundRateHz);
    const data = new Float32Array(length);
    for (let i = 0; i < length; i++) data[i] = toneAt(start + i / soundRateHz, spec.beepsSec ?? []);
    using sample = new AudioSample({
      data,
      format: 'f32-planar',
      numberOfChannels: 1,
      sampleRate: soundRateHz,
      // libavcodec's AAC encoder puts 1024 samples of priming first; Opus in MP4 says itself how much.
      timestamp: start - (audioCodecOf(spec) === 'aac' ? 1024 / soundRateHz : 0),
    });
    await audio.add(sample);
    audio.close();
  }
  await output.finalize();
  return new File([target.buffer!], `drawn.${container}`, { type: `video/${container}` });
}

const audioCodecOf = ({ audioCodec, container = 'mp4' }: ClipSpec): 'aac' | 'opus' =>
  audioCodec ?? (container === 'mp4' ? 'aac' : 'opus');

/** The tone of a clip at a time. */
export function toneAt(timeSec: number, beepsSec: readonly (readonly [number, number])[]): number {
  const on = beepsSec.some(([start, end]) => timeSec >= start && timeSec < end);
  return on ? 0.8 * Math.sin(2 * Math.PI * 1000 * timeSec) : 0;
}

function drawFrame(rank: number, width: number, height: number): Uint8Array {
  const luma = width * height;
  const chroma = Math.ceil(width / 2) * Math.ceil(height / 2);
  const data = new Uint8Array(luma + 2 * chroma).fill(128);
  const discX = 40 + ((rank * 4) % (width - 80));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const bit = Math.floor(x / block);
      const inBits = y < block && bit < bits;
      const inDisc = (x - discX) ** 2 + (y - height / 2) ** 2 < 400;
      data[y * width + x] = inBits ? ((rank >> bit) & 1 ? 220 : 30) : inDisc ? 200 : 80;
    }
  return data;
}

/** Reads the rank that a frame shows, and the mean luma of the picture. */
export async function readFrame(frame: VideoFrame): Promise<{ rank: number; meanLuma: number }> {
  const data = new Uint8Array(frame.allocationSize());
  const layout = await frame.copyTo(data);
  const { offset, stride } = layout[0]!;
  const { width, height } = frame.visibleRect!;
  const rank = rankOf((x, y) => data[offset + y * stride + x]!);
  let sum = 0;
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) sum += data[offset + y * stride + x]!;
  return { rank, meanLuma: sum / (width * height) };
}

/** Reads the rank that a picture shows from its levels, 0–255. */
export function rankOf(levelAt: (x: number, y: number) => number): number {
  let rank = 0;
  for (let bit = 0; bit < bits; bit++) if (levelAt(bit * block + 8, 8) > 125) rank |= 1 << bit;
  return rank;
}
