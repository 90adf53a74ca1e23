import {
  ALL_FORMATS,
  BufferSource,
  EncodedPacketSink,
  type EncodedVideoPacketSource,
  Input,
} from 'mediabunny';
import { ReframeError } from '../../schema/error.js';
import type { Size } from '../../schema/geometry.js';
import type { VideoOutput } from '../output/video-output.js';
import { type FfmpegSession, openFfmpegSession } from './ffmpeg-session.js';
import type { FfmpegUrls } from './ffmpeg-urls.js';

/** Tuned numbers of {@link createFfmpegVideo}. */
export const defaultFfmpegVideoOptions = {
  /** Seconds per closed chunk, each beginning with a key frame. */
  maxSec: 2,
  /** Bytes of raw frames per chunk: a second of 1080×1920. */
  maxBytes: 96 * 2 ** 20,
  /** x264 preset: ultrafast made 17.5 frames a second of 1080×1920 on one core in wasm, veryfast 6. */
  preset: 'ultrafast',
} as const;

/** ffmpeg's names of the formats that compositors make. */
const pixelFormats: Readonly<Record<string, string>> = {
  I420: 'yuv420p',
  NV12: 'nv12',
  RGBA: 'rgba',
  RGBX: 'rgb0',
  BGRA: 'bgra',
  BGRX: 'bgr0',
};

type RawFrame = { readonly data: Uint8Array; readonly timestamp: number; readonly duration: number };

export type FfmpegVideoOptions = {
  readonly size: Size;
  readonly bitrate: number;
  readonly frameRateHz: number;
  readonly signal: AbortSignal;
};

/**
 * H.264 by x264 in ffmpeg.wasm, for browsers that encode none. Raw frames are gathered into chunks; while one is
 * encoded the next fills. Packets keep the timestamps of their frames: without B-frames they come out in order.
 *
 * @param source - Where the packets go.
 */
export async function createFfmpegVideo(
  source: EncodedVideoPacketSource,
  urls: FfmpegUrls,
  options: FfmpegVideoOptions,
): Promise<VideoOutput> {
  const session = await openFfmpegSession(urls, { signal: options.signal });
  let pending: RawFrame[] = [];
  let format: string | null = null;
  let bytes = 0;
  let described = false;
  let encoding: Promise<void> = Promise.resolve();

  const encode = async (frames: readonly RawFrame[], pixelFormat: string) => {
    const packed = await encodeChunk(session, frames, { ...options, pixelFormat });
    using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(packed) });
    const track = (await input.getPrimaryVideoTrack())!;
    let meta: EncodedVideoChunkMetadata | undefined;
    if (!described) meta = { decoderConfig: (await track.getDecoderConfig())! };
    described = true;
    let i = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const frame = frames[i++];
      if (!frame) break;
      const times = { timestamp: frame.timestamp / 1e6, duration: frame.duration / 1e6 };
      await source.add(packet.clone(times), meta);
      meta = undefined;
    }
    if (i !== frames.length)
      throw new ReframeError('encode_unsupported', `ffmpeg.wasm encoded ${i} of ${frames.length} frames.`);
  };
  const flush = async () => {
    // One chunk is encoded at a time: waiting here is what holds the compositor back.
    await encoding;
    if (!pending.length) return;
    const frames = pending;
    const pixelFormat = pixelFormats[format!]!;
    pending = [];
    bytes = 0;
    encoding = encode(frames, pixelFormat);
    // Whoever waits next gets the error.
    encoding.catch(() => undefined);
  };

  return {
    encoder: 'ffmpeg',
    async add(frame) {
      if (!frame.format || !(frame.format in pixelFormats))
        throw new TypeError(`frames of format ${frame.format} cannot be encoded by ffmpeg`);
      const spanUs = frame.timestamp - (pending[0]?.timestamp ?? frame.timestamp);
      const { maxBytes, maxSec } = defaultFfmpegVideoOptions;
      const size = frame.allocationSize();
      if (pending.length && (frame.format !== format || bytes + size > maxBytes || spanUs >= maxSec * 1e6))
        await flush();
      format = frame.format;
      const data = new Uint8Array(size);
      await frame.copyTo(data);
      bytes += size;
      pending.push({
        data,
        timestamp: frame.timestamp,
        duration: frame.duration ?? 1e6 / options.frameRateHz,
      });
    },
    async finish() {
      try {
        await flush();
        await encoding;
        source.close();
      } finally {
        session.terminate();
      }
    },
    close: () => session.terminate(),
  };
}

async function encodeChunk(
  session: FfmpegSession,
  frames: readonly RawFrame[],
  options: FfmpegVideoOptions & { readonly pixelFormat: string },
): Promise<ArrayBuffer> {
  const { size, bitrate, frameRateHz, pixelFormat } = options;
  await session.renew();
  const raw = new Uint8Array(frames.reduce((sum, f) => sum + f.data.length, 0));
  let at = 0;
  for (const { data } of frames) {
    raw.set(data, at);
    at += data.length;
  }
  await session.write('/frames/in.raw', raw);
  const rate = String(Math.max(1, frameRateHz));
  const { code, log } = await session.exec([
    ...['-v', 'warning', '-f', 'rawvideo', '-pix_fmt', pixelFormat, '-s', `${size.width}x${size.height}`],
    ...['-r', rate, '-i', '/frames/in.raw'],
    // Frames made of RGB are converted as BT.709, which is what the file will say.
    ...(pixelFormat.startsWith('rgb') || pixelFormat.startsWith('bgr')
      ? ['-vf', 'scale=out_color_matrix=bt709:out_range=tv']
      : []),
    ...[
      '-c:v',
      'libx264',
      '-preset',
      defaultFfmpegVideoOptions.preset,
      '-threads',
      '2',
      '-bf',
      '0',
      '-g',
      '9999',
    ],
    ...['-b:v', String(bitrate), '-maxrate', String(2 * bitrate), '-bufsize', String(2 * bitrate)],
    ...['-pix_fmt', 'yuv420p', '-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-color_range', 'tv', '-vsync', 'passthrough', '-f', 'mp4', '/frames/out.mp4'],
  ]);
  if (code !== 0)
    throw new ReframeError('encode_unsupported', `ffmpeg.wasm said: ${log.slice(-3).join(' ')}`);
  const packed = await session.read('/frames/out.mp4');
  await session.remove('/frames/in.raw');
  await session.remove('/frames/out.mp4');
  return packed.buffer;
}
