import {
  canEncodeVideo,
  EncodedVideoPacketSource,
  type Output,
  VideoSample,
  VideoSampleSource,
} from 'mediabunny';
import { ReframeError } from '../../schema/error.js';
import type { Size } from '../../schema/geometry.js';
import { type FfmpegUrls, ffmpegHint } from '../ffmpeg/ffmpeg-urls.js';
import { createFfmpegVideo } from '../ffmpeg/ffmpeg-video.js';
import type { VideoEncoderKind, VideoOutput } from './video-output.js';

export type VideoOutputOptions = {
  readonly size: Size;
  readonly bitrate: number;
  readonly frameRateHz: number;
  readonly keyFrameSec: number;
  /** `auto`: WebCodecs where it encodes H.264 of this size. */
  readonly encoder: 'auto' | 'ffmpeg';
  readonly ffmpeg?: FfmpegUrls;
  readonly signal: AbortSignal;
};

/**
 * What encodes H.264 here: WebCodecs, or ffmpeg.wasm where the browser has no such encoder.
 *
 * @throws ReframeError `encode_unsupported` with neither.
 */
export async function chooseVideoEncoder({
  size,
  bitrate,
  encoder,
  ffmpeg,
}: Pick<VideoOutputOptions, 'size' | 'bitrate' | 'encoder' | 'ffmpeg'>): Promise<VideoEncoderKind> {
  if (encoder === 'auto' && (await canEncodeVideo('avc', { ...size, bitrate }))) return 'webcodecs';
  if (ffmpeg) return 'ffmpeg';
  throw new ReframeError(
    'encode_unsupported',
    `It has no H.264 at ${size.width}×${size.height}. ${ffmpegHint}`,
  );
}

/** Adds an H.264 track, by what {@link chooseVideoEncoder} finds. */
export async function addVideo(output: Output, options: VideoOutputOptions): Promise<VideoOutput> {
  const { bitrate, keyFrameSec, ffmpeg } = options;
  if ((await chooseVideoEncoder(options)) === 'webcodecs') {
    const source = new VideoSampleSource({ codec: 'avc', bitrate, keyFrameInterval: keyFrameSec });
    output.addVideoTrack(source);
    return {
      encoder: 'webcodecs',
      async add(frame) {
        using sample = new VideoSample(frame.clone());
        await source.add(sample);
      },
      finish: async () => source.close(),
      close: () => undefined,
    };
  }
  const source = new EncodedVideoPacketSource('avc');
  output.addVideoTrack(source);
  return createFfmpegVideo(source, ffmpeg!, options);
}
