import { Mp4OutputFormat, Output } from 'mediabunny';
import type { Size } from '../schema/geometry.js';
import { type AudioReport, addSound, type SoundRange } from './audio-output.js';
import type { FfmpegUrls } from './ffmpeg-urls.js';
import { type OutputTarget, openTarget, toWriteError } from './output-target.js';
import { createPace } from './pace.js';
import { addVideo } from './video-output.js';

/** What {@link createEncoder} makes. */
export type EncoderOptions = {
  readonly target: OutputTarget;
  /** Of the output, in pixels; both sides even. */
  readonly size: Size;
  /** Average frame rate, for the default bitrate; timestamps of the frames are kept as they are. */
  readonly frameRateHz: number;
  /** Bits per second; default {@link defaultVideoBitrate}. */
  readonly videoBitrate?: number;
  /** The sound that goes along; `startSec` of it is the output's 0 s. Absent: a silent file. */
  readonly sound?: SoundRange;
  /** `auto` (default): WebCodecs where it can; `ffmpeg` insists on the fallback. */
  readonly videoEncoder?: 'auto' | 'ffmpeg';
  /** Needed where the browser encodes no H.264. */
  readonly ffmpeg?: FfmpegUrls;
  readonly signal?: AbortSignal;
};

/** What was written. */
export type EncodeReport = {
  readonly videoEncoder: 'webcodecs' | 'ffmpeg';
  readonly frames: number;
  readonly durationSec: number;
  readonly sizeBytes: number;
  readonly audio: AudioReport;
  /** For the target `blob`. */
  readonly blob?: Blob;
  /** For the target `file`: the finished file. */
  readonly file?: FileSystemFileHandle;
};

/** Takes frames in order, gives an MP4 file. */
export interface Encoder {
  /**
   * Encodes one frame and closes it. Its `timestamp` (µs) counts from the output's start, its `duration` says how long
   * the last one lasts. Resolves when the encoder wants the next: await it.
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
  /** Seconds that the sound may be ahead of the picture while writing. */
  audioLeadSec: 2,
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
  const { size, signal } = options;
  if (size.width % 2 || size.height % 2) throw new RangeError('size must be even in both directions');
  signal?.throwIfAborted();
  const bitrate = options.videoBitrate ?? defaultVideoBitrate(size, options.frameRateHz);
  const { keyFrameSec, audioLeadSec } = defaultEncoderOptions;
  const opened = await openTarget(options.target);
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: options.target.kind === 'blob' ? 'in-memory' : false }),
    target: opened.target,
  });
  const pace = createPace(audioLeadSec);
  const stop = new AbortController();
  const stopSignal = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  let failure: { readonly error: unknown } | undefined;
  let frames = 0;
  let endUs = 0;

  const check = () => {
    signal?.throwIfAborted();
    if (failure) throw failure.error;
  };
  const cancel = async () => {
    stop.abort(new DOMException('The encoder was cancelled.', 'AbortError'));
    // A sound loop that waits for the picture must see the abort.
    pace.advance(Number.POSITIVE_INFINITY);
    await writing;
    video?.close();
    if (output.state !== 'finalized') await output.cancel().catch(() => undefined);
    await opened.discard();
  };

  let video: Awaited<ReturnType<typeof addVideo>> | undefined;
  let sound: Awaited<ReturnType<typeof addSound>>;
  let writing: Promise<void> = Promise.resolve();
  try {
    video = await addVideo(output, {
      size,
      bitrate,
      frameRateHz: options.frameRateHz,
      keyFrameSec,
      encoder: options.videoEncoder ?? 'auto',
      ...(options.ffmpeg && { ffmpeg: options.ffmpeg }),
      signal: stopSignal,
    });
    sound = options.sound && (await addSound(output, options.sound, pace));
    await output.start();
  } catch (error) {
    await cancel();
    throw toWriteError(error);
  }
  const track = video;
  // The error is kept for the next call: a loop that nobody awaits must not reject.
  writing = (sound?.write(stopSignal) ?? Promise.resolve()).catch(error => {
    failure ??= { error };
  });

  return {
    async add(frame) {
      try {
        check();
        endUs = Math.max(endUs, frame.timestamp + (frame.duration ?? 0));
        frames++;
        await track.add(frame);
        pace.advance(endUs / 1e6);
      } catch (error) {
        throw toWriteError(error);
      } finally {
        frame.close();
      }
    },
    async finish() {
      try {
        check();
        await track.finish();
        pace.advance(Number.POSITIVE_INFINITY);
        await writing;
        check();
        await output.finalize();
        const committed = await opened.commit();
        return {
          videoEncoder: track.encoder,
          frames,
          durationSec: endUs / 1e6,
          audio: sound?.report ?? { way: 'none' },
          ...committed,
        };
      } catch (error) {
        await cancel();
        throw toWriteError(error);
      }
    },
    cancel,
  };
}
