import {
  ALL_FORMATS,
  BlobSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type InputVideoTrack,
  UrlSource,
  VideoSampleSink,
} from 'mediabunny';
import { isReframeError, ReframeError } from '../../schema/error.js';
import { type Bytes, fetchAttempts } from '../containers/bytes.js';
import { type EditedSpan, editedSpan, type Isobmff, type IsobmffTrack } from '../containers/isobmff.js';
import { nextOrAbort, toDecodeError } from '../input/decode-error.js';

/** What a look at the container says: who can read the file, and everything that reading it needs. */
export type Inspection = {
  /** Undefined where this browser can decode the file; else why not, as a sentence's end. */
  readonly obstacle?: string;
  readonly container: string;
  readonly videoCodec: string;
  readonly videoTracks: number;
  readonly audioTracks: number;
  /** Present when there is no obstacle; the caller closes it with `input.dispose()`. */
  readonly opened?: OpenedInput;
};

/** The demuxed file and the tracks in use. */
export type OpenedInput = {
  readonly input: Input;
  readonly video: InputVideoTrack;
  readonly audio?: InputAudioTrack;
  /** What the edit lists show and let hear, on the file's clock, where it has any. */
  readonly videoEdit?: VideoEdit;
  readonly audioEdit?: EditedSpan;
};

export type VideoEdit = EditedSpan & {
  /**
   * Whether the first frame that begins within the edit is shown when the edit begins, and all other frames
   * that much earlier: ffmpeg, and browsers that read with it, do so where an edit begins inside a frame,
   * except in fragmented files.
   */
  readonly snaps: boolean;
};

/**
 * Looks at container and codec, decodes one frame, and says whether WebCodecs reads this file.
 *
 * @param boxes - Of {@link readIsobmff}: the demuxer does not say what an edit list ends with.
 * @throws ReframeError `no_video`, `decode_failed`, `source_unreachable`.
 */
export async function inspect(
  bytes: Bytes,
  boxes: Isobmff | undefined,
  signal?: AbortSignal,
): Promise<Inspection> {
  signal?.throwIfAborted();
  const input = new Input({ formats: ALL_FORMATS, source: sourceOf(bytes) });
  let kept = false;
  try {
    const inspection = await inspectTracks(input, boxes, signal);
    kept = inspection.opened !== undefined;
    return inspection;
  } catch (error) {
    if (bytes.kind === 'url' && error instanceof Error && /Error fetching/.test(error.message))
      throw new ReframeError('source_unreachable', `${bytes.name} broke off.`, { cause: error });
    throw toDecodeError(error, bytes.name, signal);
  } finally {
    if (!kept) input.dispose();
  }
}

/** The demuxer's view of the bytes. */
export const sourceOf = (bytes: Bytes) =>
  bytes.blob
    ? new BlobSource(bytes.blob)
    : new UrlSource(bytes.url!, {
        fetchFn: bytes.fetch,
        getRetryDelay: attempts => (attempts + 1 < fetchAttempts ? 0.5 * 2 ** attempts : null),
      });

async function inspectTracks(
  input: Input,
  boxes: Isobmff | undefined,
  signal: AbortSignal | undefined,
): Promise<Inspection> {
  const none = { videoTracks: 0, audioTracks: 0, videoCodec: 'unknown' };
  if (!(await input.canRead()))
    return {
      ...none,
      container: 'unknown',
      obstacle: 'its container is not one that this browser side reads',
    };
  const container = (await input.getFormat()).name;
  const videos = await input.getVideoTracks();
  const audios = await input.getAudioTracks();
  const known = { container, videoTracks: videos.length, audioTracks: audios.length };
  const video = await input.getPrimaryVideoTrack();
  if (!video) {
    // Sound alone is a clear answer; no track at all means that the demuxer did not find its way.
    if (audios.length) throw new ReframeError('no_video', 'It holds sound only.');
    return { ...known, videoCodec: 'unknown', obstacle: 'no track was found in it' };
  }
  if ((await new EncodedPacketSink(video).getFirstPacket()) === null)
    throw new ReframeError('no_video', 'Its video track has no frames.');
  const codec = await video.getCodec();
  const videoCodec = codec ?? String((await video.getInternalCodecId()) ?? 'unknown');
  const found = { ...known, videoCodec };
  if (codec === null || !(await video.canDecode()))
    return { ...found, obstacle: `this browser has no decoder for its codec (${videoCodec})` };
  const track = trackOf(boxes, 'vide', video.number);
  if (track && track.edits.filter(e => e.mediaTimeSec !== undefined).length > 1)
    return { ...found, obstacle: 'its edit list has several parts' };
  if (boxes?.split)
    return { ...found, obstacle: 'it is fragmented in part, and its demuxer here reads one part only' };
  const failure = await tryFirstFrame(video, signal);
  if (failure !== undefined)
    return {
      ...found,
      obstacle: `this browser claims its codec (${videoCodec}) but failed on the first frame (${failure})`,
    };
  const audio = await primaryAudio(input, audios);
  const videoSpan = track && editedSpan(track);
  const audioTrack = audio && trackOf(boxes, 'soun', audio.number);
  // Readers let the edit list of a fragmented file move its sound, and no more.
  const audioEdit = audioTrack?.listed ? editedSpan(audioTrack) : undefined;
  return {
    ...found,
    opened: {
      input,
      video,
      ...(audio && { audio }),
      ...(videoSpan && { videoEdit: { ...videoSpan, snaps: track.listed } }),
      ...(audioEdit && { audioEdit }),
    },
  };
}

const trackOf = (boxes: Isobmff | undefined, kind: string, number: number): IsobmffTrack | undefined =>
  boxes?.tracks.filter(track => track.kind === kind)[number - 1];

/** The primary audio track, or the first of the others that can be decoded. */
async function primaryAudio(
  input: Input,
  tracks: readonly InputAudioTrack[],
): Promise<InputAudioTrack | undefined> {
  const primary = await input.getPrimaryAudioTrack();
  for (const track of primary ? [primary, ...tracks.filter(t => t !== primary)] : tracks)
    if ((await track.getCodec()) !== null && (await track.canDecode())) return track;
  return undefined;
}

/** Claims of `isConfigSupported` are not always kept: one decoded frame is proof. */
async function tryFirstFrame(
  video: InputVideoTrack,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const samples = new VideoSampleSink(video).samples();
  try {
    const { value } = await nextOrAbort(samples, signal);
    value?.close();
    return value ? undefined : 'no frame came out';
  } catch (error) {
    signal?.throwIfAborted();
    if (isReframeError(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  } finally {
    void samples.return().catch(() => undefined);
  }
}
