import { ReframeError } from '../schema/error.js';
import { type Bytes, bytesOfBlob, bytesOfUrl } from './bytes.js';
import { type FfmpegUrls, ffmpegHint } from './ffmpeg-urls.js';
import { type FrameSource, isFrameSource, openFrames } from './frames.js';
import type { Media } from './media.js';
import { openWebcodecs } from './webcodecs.js';
import { type Inspection, inspect } from './webcodecs-input.js';

/** A file, its address, or frames that the caller decodes. */
export type SourceInput = Blob | URL | string | FrameSource;

export type MediaOptions = {
  /** `auto` asks container and codec; the others insist. Default `auto`. */
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
  const { decoder = 'auto', signal } = options;
  const bytes = input instanceof Blob ? bytesOfBlob(input) : await bytesOfUrl(input, options.fetch, signal);
  const inspection = await inspect(bytes, signal);
  if (inspection.opened)
    return openWebcodecs(bytes, inspection as Inspection & { opened: NonNullable<Inspection['opened']> }, {
      choice: { backend: 'webcodecs', reason: `${inspection.container} with ${inspection.videoCodec}` },
      ...(signal && { signal }),
    });
  throw unsupported(bytes, `${inspection.obstacle}`, decoder === 'webcodecs' ? '' : ffmpegHint);
}

const unsupported = (bytes: Bytes, why: string, hint: string): ReframeError =>
  new ReframeError('source_unsupported', `${bytes.name}: ${why}. ${hint}`.trim());
