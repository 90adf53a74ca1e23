import type { Size } from '../../schema/geometry.js';
import type { FfmpegUrls } from '../ffmpeg/ffmpeg-urls.js';
import { addVideo } from './add-video.js';
import { type ClipOptions, type ClipReport, openClip } from './clip-output.js';

/** What {@link createEncoder} makes. */
export type EncoderOptions = ClipOptions & {
  /** Of the output, in pixels; both sides even. */
  readonly size: Size;
  /** Average frame rate, for the default bitrate; timestamps of the frames are kept as they are. */
  readonly frameRateHz: number;
  /** Bits per second; default {@link defaultVideoBitrate}. */
  readonly videoBitrate?: number;
  /** `auto` (default): WebCodecs where it can; `ffmpeg` insists on the fallback. */
  readonly videoEncoder?: 'auto' | 'ffmpeg';
  /** Needed where the browser encodes no H.264. */
  readonly ffmpeg?: FfmpegUrls;
};

/** What was written. */
export type EncodeReport = ClipReport & {
  readonly videoEncoder: 'webcodecs' | 'ffmpeg';
  readonly frames: number;
  readonly durationSec: number;
  /** Chunks that the picture is made of; absent for a clip in one piece. */
  readonly chunks?: number;
};

/** Takes frames in order, gives an MP4 file. */
export interface Encoder {
  /**
   * Encodes one frame and closes it. Its `timestamp` (µs) counts from the output's start, its `duration` says
   * how long the last one lasts. Resolves when the encoder wants the next frame: await each call.
   */
  add(frame: VideoFrame): Promise<void>;
  /** Completes the file; only then does it have its name. */
  finish(): Promise<EncodeReport>;
  /** Stops and removes what was written. Safe after a failure and more than once. */
  cancel(): Promise<void>;
}

/** Tuned numbers of the encoder. */
export const defaultEncoderOptions = {
  /** Bits per pixel and frame: 6.2 Mbit/s for 1080×1920 at 30 Hz, about what social networks ask for uploads. */
  bitsPerPixel: 0.1,
  minVideoBitrate: 500_000,
  maxVideoBitrate: 50_000_000,
  /** Seconds between key frames: players seek to them. */
  keyFrameSec: 2,
} as const;

/** Bits per second for a size and frame rate, where the caller names none. */
export function defaultVideoBitrate(size: Size, frameRateHz: number): number {
  const { bitsPerPixel, minVideoBitrate, maxVideoBitrate } = defaultEncoderOptions;
  const bitrate = Math.round(size.width * size.height * Math.min(60, frameRateHz) * bitsPerPixel);
  return Math.min(maxVideoBitrate, Math.max(minVideoBitrate, bitrate));
}

/**
 * Starts an MP4 file: H.264 video, and the sound beside it in its own loop.
 *
 * @throws RangeError if the size is odd; ReframeError `encode_unsupported`, `quota_exceeded`.
 */
export async function createEncoder(options: EncoderOptions): Promise<Encoder> {
  const { size, frameRateHz, ffmpeg } = options;
  if (size.width % 2 || size.height % 2) throw new RangeError('size must be even in both directions');
  const { track, write, finish, cancel } = await openClip(options, (output, signal) =>
    addVideo(output, {
      size,
      bitrate: options.videoBitrate ?? defaultVideoBitrate(size, frameRateHz),
      frameRateHz,
      keyFrameSec: defaultEncoderOptions.keyFrameSec,
      encoder: options.videoEncoder ?? 'auto',
      ...(ffmpeg && { ffmpeg }),
      signal,
    }),
  );
  let frames = 0;
  let endUs = 0;
  return {
    async add(frame) {
      try {
        endUs = Math.max(endUs, frame.timestamp + (frame.duration ?? 0));
        frames++;
        await write(endUs / 1e6, () => track.add(frame));
      } finally {
        frame.close();
      }
    },
    finish: async () => ({
      ...(await finish()),
      videoEncoder: track.encoder,
      frames,
      durationSec: endUs / 1e6,
    }),
    cancel,
  };
}
