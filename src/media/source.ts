import { ReframeError } from '../schema/error.js';
import { bytesOfBlob, bytesOfUrl } from './containers/bytes.js';
import { readIsobmff } from './containers/isobmff.js';
import { openFfmpeg } from './ffmpeg/ffmpeg.js';
import { type FfmpegUrls, ffmpegHint } from './ffmpeg/ffmpeg-urls.js';
import { type FrameSource, isFrameSource, openFrames } from './input/frames.js';
import type { Media } from './media.js';
import { openWebcodecs } from './webcodecs/webcodecs.js';
import { inspect } from './webcodecs/webcodecs-input.js';

/** A file, its address, or frames that the caller decodes. */
export type SourceInput = Blob | URL | string | FrameSource;

export type MediaOptions = {
  /** `auto` asks container and codec; the other values insist on a reader. Default `auto`. */
  readonly decoder?: 'auto' | 'webcodecs' | 'ffmpeg';
  /** The fallback reader for what WebCodecs cannot demux or decode. */
  readonly ffmpeg?: FfmpegUrls;
  /** Instead of the global one, for example to send credentials. */
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
};

/**
 * Opens a source with the reader that fits its container and codec; `choice` says which and why.
 *
 * @throws ReframeError `source_unreachable`, `source_forbidden`, `source_unsupported`, `source_encrypted`,
 *   `no_video`, `decode_failed`.
 */
export async function openMedia(input: SourceInput, options: MediaOptions = {}): Promise<Media> {
  if (isFrameSource(input)) return openFrames(input);
  const { decoder = 'auto', signal, ffmpeg } = options;
  const given = signal ? { signal } : {};
  const bytes = input instanceof Blob ? bytesOfBlob(input) : await bytesOfUrl(input, options.fetch, signal);
  const boxes = await readIsobmff(bytes, bytes.blob?.size);
  if (boxes?.tracks.some(t => t.encrypted))
    throw new ReframeError('source_encrypted', `${bytes.name} needs a key. Use a copy without protection.`);
  if (decoder === 'ffmpeg') {
    if (!ffmpeg) throw new ReframeError('source_unsupported', ffmpegHint);
    return openFfmpeg(bytes, ffmpeg, {
      ...given,
      tracks: boxes?.tracks,
      copySound: false,
      choice: { backend: 'ffmpeg', reason: 'asked for' },
    });
  }
  const inspection = await inspect(bytes, boxes, signal);
  const { opened, obstacle } = inspection;
  if (opened) {
    const reason = `${inspection.container} with ${inspection.videoCodec}`;
    return openWebcodecs(
      bytes,
      { ...inspection, opened },
      { ...given, choice: { backend: 'webcodecs', reason } },
    );
  }
  if (decoder === 'webcodecs' || !ffmpeg)
    throw new ReframeError(
      'source_unsupported',
      `${bytes.name}: ${obstacle}.${decoder === 'webcodecs' ? '' : ` ${ffmpegHint}`}`,
    );
  return openFfmpeg(bytes, ffmpeg, {
    ...given,
    tracks: boxes?.tracks,
    copySound: true,
    isVideo: inspection.container !== 'unknown',
    choice: { backend: 'ffmpeg', reason: obstacle! },
  });
}
