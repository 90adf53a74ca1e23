import { type Bytes, toBlob } from '../containers/bytes.js';
import { frameDurationSec, frameTimeSec, ranksIn } from '../containers/frame-index.js';
import type { IsobmffTrack } from '../containers/isobmff.js';
import { refuseMissing } from '../containers/missing-frames.js';
import { toDecodeError } from '../input/decode-error.js';
import { createPlaneFinisher } from '../input/pixels.js';
import { bindSound, speechAudio } from '../input/sound.js';
import { planesOf } from '../input/tone-map.js';
import type { AudioBlock, Media, MediaChoice, MediaFrame, ReadRange } from '../media.js';
import { openSeparateCopy, type SeparateCopy } from '../webcodecs/webcodecs-sound.js';
import { chunksOf, decodeChunk, removeFrames } from './ffmpeg-frames.js';
import { type FfmpegProbe, probeWithFfmpeg } from './ffmpeg-probe.js';
import { type FfmpegSession, openFfmpegSession } from './ffmpeg-session.js';
import { openFfmpegSound } from './ffmpeg-sound.js';
import type { FfmpegUrls } from './ffmpeg-urls.js';

/**
 * A file read by ffmpeg.wasm, for what WebCodecs cannot demux or decode. Every pass over frames or sound has an
 * ffmpeg worker of its own, which ends with the pass. Frames come in chunks of at most two seconds: while one is
 * handed out, the next is decoded.
 *
 * @throws ReframeError `source_unsupported`, `decode_failed`, `no_video`, `source_unreachable`.
 */
export async function openFfmpeg(
  bytes: Bytes,
  urls: FfmpegUrls,
  options: {
    readonly choice: MediaChoice;
    readonly signal?: AbortSignal;
    /** Whether the encoder may copy the packets of the sound as the demuxer library reads them. */
    readonly copySound: boolean;
    /** Whether something else knows the container, so that a file that ffmpeg does not know is a damaged one. */
    readonly isVideo?: boolean;
    /** Of an MP4 file. */
    readonly tracks?: readonly IsobmffTrack[] | undefined;
  },
): Promise<Media> {
  const { signal, isVideo = true, tracks } = options;
  const file = await toBlob(bytes, signal);
  const probe = await withSession(urls, { file, name: bytes.name, signal }, async session => {
    const probed = await probeWithFfmpeg(session, { name: bytes.name, isVideo, tracks });
    // One frame is the proof that the codec is there and the bitstream is sound.
    const frames = await decodeChunk(session, probed, { first: 0, end: 1 }, bytes.name);
    refuseMissing({ missing: 1 - frames.length, expected: 1, name: bytes.name, toleranceFrames: 0 });
    return probed;
  });
  const { audioStartSec: soundStartSec, audioEdit: edit } = probe;
  const place = { soundStartSec, originSec: probe.index.originUs / 1e6, ...(edit && { edit }) };
  const separate = options.copySound && probe.facts.audio ? await openSeparateCopy(bytes, place) : undefined;
  return createFfmpegMedia({ file, name: bytes.name, urls, probe, choice: options.choice, separate });
}

type Parts = {
  readonly file: Blob;
  readonly name: string;
  readonly urls: FfmpegUrls;
  readonly probe: FfmpegProbe;
  readonly choice: MediaChoice;
  readonly separate: SeparateCopy | undefined;
};

function createFfmpegMedia({ file, name, urls, probe, choice, separate }: Parts): Media {
  const { facts, index, pixels } = probe;
  const closed = new AbortController();

  async function* frames(range: ReadRange = {}): AsyncGenerator<MediaFrame, void, void> {
    const [first, end] = ranksIn(index, range);
    if (first >= end) return;
    const signal = range.signal ? AbortSignal.any([range.signal, closed.signal]) : closed.signal;
    const finish = createPlaneFinisher(facts.dynamicRange, pixels);
    const session = await openFfmpegSession(urls, { file, signal });
    try {
      let given = 0;
      for await (const { rank, data } of rawFrames(session, probe, { first, end, name })) {
        signal.throwIfAborted();
        const timeSec = frameTimeSec(index, rank);
        const durationSec = frameDurationSec(index, rank);
        const frame = finish(planesOf(data, pixels.width, pixels.height), {
          timestamp: Math.round(timeSec * 1e6),
          duration: Math.round(durationSec * 1e6),
        });
        given++;
        yield { frame, frameNumber: rank, timeSec, durationSec };
      }
      refuseMissing({ missing: end - first - given, expected: end - first, name });
    } catch (error) {
      throw toDecodeError(error, name, signal);
    } finally {
      session.terminate();
    }
  }

  const sound = openFfmpegSound({ file, name, urls, probe, closed: closed.signal });
  const media: Media = {
    facts,
    choice,
    frameTimeSec: rank => frameTimeSec(index, rank),
    frames,
    async *audio(range: ReadRange = {}): AsyncGenerator<AudioBlock, void, void> {
      if (sound) yield* speechAudio(sound, range);
    },
    async close() {
      separate?.close();
      closed.abort(new DOMException('The media was closed.', 'AbortError'));
    },
  };
  if (sound) bindSound(media, separate ? { ...sound, copy: separate.copy } : sound);
  return media;
}

/** Frames of all chunks in order. Reading a chunk out makes room before the next is decoded beside it. */
async function* rawFrames(
  session: FfmpegSession,
  probe: FfmpegProbe,
  { first, end, name }: { readonly first: number; readonly end: number; readonly name: string },
): AsyncGenerator<
  { readonly rank: number; readonly data: Uint8Array<ArrayBuffer> | Uint16Array<ArrayBuffer> },
  void,
  void
> {
  const chunks = chunksOf(probe, first, end);
  const decode = (i: number) => {
    const chunk = chunks[i];
    const decoding = chunk && session.renew().then(() => decodeChunk(session, probe, chunk, name));
    // A pass that ends early leaves a decoding behind, whose rejection is nobody's.
    decoding?.catch(() => undefined);
    return decoding;
  };
  let decoding = decode(0);
  for (let i = 0; i < chunks.length; i++) {
    const waiting: { rank: number; data: Uint8Array<ArrayBuffer> }[] = [];
    for (const { rank, path } of (await decoding)!) waiting.push({ rank, data: await session.read(path) });
    await removeFrames(session);
    decoding = decode(i + 1);
    for (let next = waiting.shift(); next; next = waiting.shift())
      yield { rank: next.rank, data: probe.pixels.depth > 8 ? new Uint16Array(next.data.buffer) : next.data };
  }
}

/** Runs one task on an ffmpeg of its own. */
async function withSession<T>(
  urls: FfmpegUrls,
  {
    file,
    name,
    signal,
  }: { readonly file: Blob; readonly name: string; readonly signal: AbortSignal | undefined },
  task: (session: FfmpegSession) => Promise<T>,
): Promise<T> {
  const session = await openFfmpegSession(urls, { file, ...(signal && { signal }) });
  try {
    return await task(session);
  } catch (error) {
    throw toDecodeError(error, name, signal);
  } finally {
    session.terminate();
  }
}
