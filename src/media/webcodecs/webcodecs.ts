import { EncodedPacketSink, type InputVideoTrack, VideoSampleSink } from 'mediabunny';
import { ReframeError } from '../../schema/error.js';
import type { Bytes } from '../containers/bytes.js';
import { clockOriginUs } from '../containers/clock-origin.js';
import {
  averageRateHz,
  createFrameIndex,
  type FrameIndex,
  frameDurationSec,
  frameTimeSec,
  rankAt,
  ranksIn,
} from '../containers/frame-index.js';
import { refuseMissing } from '../containers/missing-frames.js';
import { nextOrAbort, toDecodeError, untilAborted } from '../input/decode-error.js';
import { displayOf } from '../input/display.js';
import { createFrameFinisher } from '../input/pixels.js';
import { bindSound, type Sound, speechAudio } from '../input/sound.js';
import type { AudioBlock, Media, MediaChoice, MediaFacts, MediaFrame, ReadRange } from '../media.js';
import type { Inspection, OpenedInput, VideoEdit } from './webcodecs-input.js';
import { openPacketSound, soundStartSec } from './webcodecs-sound.js';

/**
 * A file read by WebCodecs through mediabunny. Frame ranks and times come from the packets of the whole track, so
 * that a range counts its frames as the whole does. Frames are handed out one at a time; the demuxer keeps up to
 * eight of its own.
 *
 * @param inspection - Of {@link inspect}, without obstacle; its input is closed with the media.
 * @throws ReframeError `decode_failed`, `no_video`.
 */
export async function openWebcodecs(
  bytes: Bytes,
  inspection: Inspection & { readonly opened: OpenedInput },
  options: { readonly choice: MediaChoice; readonly signal?: AbortSignal },
): Promise<Media> {
  const { input, video, audio, videoEdit, audioEdit } = inspection.opened;
  try {
    const { timesUs, lastDurationUs } = await listFrames(video, { edit: videoEdit, signal: options.signal });
    const soundUs = audio ? (await soundStartSec(audio, audioEdit)) * 1e6 : Number.POSITIVE_INFINITY;
    let originUs = 0;
    const index = createFrameIndex(timesUs, lastDurationUs, firstFrameUs => {
      originUs = clockOriginUs(inspection.container, [firstFrameUs, soundUs]);
      // The sound has no part in this: an edit list cuts that to the sample.
      return videoEdit?.snaps ? firstFrameUs - Math.round(videoEdit.startSec * 1e6) : originUs;
    });
    const place = { originSec: originUs / 1e6, ...(audioEdit && { edit: audioEdit }) };
    const sound = audio && (await openPacketSound(audio, place, bytes.name));
    const facts = await factsOf(inspection, { index, sound, soundSec: (soundUs - originUs) / 1e6 });
    return createWebcodecsMedia({
      bytes,
      opened: inspection.opened,
      index,
      facts,
      sound,
      choice: options.choice,
    });
  } catch (error) {
    input.dispose();
    throw toDecodeError(error, bytes.name, options.signal);
  }
}

type Parts = {
  readonly bytes: Bytes;
  readonly opened: OpenedInput;
  readonly index: FrameIndex;
  readonly facts: MediaFacts;
  readonly sound: Sound | undefined;
  readonly choice: MediaChoice;
};

function createWebcodecsMedia({ bytes, opened, index, facts, sound, choice }: Parts): Media {
  async function* frames(range: ReadRange = {}): AsyncGenerator<MediaFrame, void, void> {
    const [first, end] = ranksIn(index, range);
    if (first >= end) return;
    const finish = createFrameFinisher(facts.dynamicRange);
    const endUs = index.timesUs[end];
    const samples = new VideoSampleSink(opened.video).samples(
      index.timesUs[first]! / 1e6,
      endUs === undefined ? Number.POSITIVE_INFINITY : (endUs - 0.5) / 1e6,
    );
    let rank = first;
    let given = 0;
    try {
      for (;;) {
        const { done, value: sample } = await nextOrAbort(samples, range.signal);
        if (done) break;
        const timestampUs = Math.round(sample.timestamp * 1e6);
        // Frames before the range come along, as do those outside of the edit list.
        if (timestampUs < index.timesUs[rank]! - 0.5 || rank >= end) {
          sample.close();
          if (rank >= end) break;
          continue;
        }
        // Frames that the decoder skipped keep their rank: those that come after must not move up.
        if (timestampUs > index.timesUs[rank]! + 0.5) rank = Math.max(rank, rankAt(index, timestampUs - 0.5));
        if (rank >= end || index.timesUs[rank]! > timestampUs + 0.5) {
          sample.close();
          continue;
        }
        const decoded = sample.toVideoFrame();
        sample.close();
        const timeSec = frameTimeSec(index, rank);
        const durationSec = frameDurationSec(index, rank);
        const stamp = { timestamp: Math.round(timeSec * 1e6), duration: Math.round(durationSec * 1e6) };
        const frame = await finish(decoded, stamp);
        if (range.signal?.aborted) frame.close();
        range.signal?.throwIfAborted();
        given++;
        yield { frame, frameNumber: rank++, timeSec, durationSec };
      }
      refuseMissing({ missing: end - first - given, expected: end - first, name: bytes.name });
    } catch (error) {
      throw toDecodeError(error, bytes.name, range.signal);
    } finally {
      void samples.return().catch(() => undefined);
    }
  }

  async function* audio(range: ReadRange = {}): AsyncGenerator<AudioBlock, void, void> {
    if (sound) yield* untilAborted(speechAudio(sound, range), range.signal);
  }

  const media: Media = {
    facts,
    choice,
    frameTimeSec: rank => frameTimeSec(index, rank),
    frames,
    audio,
    close: async () => opened.input.dispose(),
  };
  if (sound) bindSound(media, sound);
  return media;
}

/** Presentation times of all frames that a decoder can give, from packet metadata alone. */
async function listFrames(
  video: InputVideoTrack,
  options: {
    readonly edit: VideoEdit | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<{ readonly timesUs: readonly number[]; readonly lastDurationUs: number }> {
  const sink = new EncodedPacketSink(video);
  const start = await sink.getFirstKeyPacket();
  if (!start) throw new ReframeError('no_video', 'Its video track has no key frame.');
  const { startSec = 0, endSec = Number.POSITIVE_INFINITY, snaps = false } = options.edit ?? {};
  const shownFromUs = Math.max(start.timestamp * 1e6, snaps ? startSec * 1e6 : 0);
  const timesUs: number[] = [];
  let last = { timestampUs: Number.NEGATIVE_INFINITY, durationUs: 0 };
  for await (const packet of untilAborted(
    sink.packets(start, undefined, { metadataOnly: true }),
    options.signal,
  )) {
    const timestampUs = Math.round(packet.timestamp * 1e6);
    // Frames shown before the first key frame refer to what is not there; those outside of the edit list are cut away
    // by the author of the file. A tick of a common timescale is 11 µs: half of it.
    if (timestampUs < shownFromUs - 5 || timestampUs >= endSec * 1e6 - 5) continue;
    timesUs.push(timestampUs);
    if (timestampUs >= last.timestampUs)
      last = { timestampUs, durationUs: Math.round(packet.duration * 1e6) };
  }
  if (!timesUs.length) throw new ReframeError('no_video', 'Its video track has no frames to show.');
  return { timesUs, lastDurationUs: last.durationUs };
}

async function factsOf(
  inspection: Inspection,
  {
    index,
    sound,
    soundSec,
  }: { readonly index: FrameIndex; readonly sound: Sound | undefined; readonly soundSec: number },
): Promise<MediaFacts> {
  const { video } = inspection.opened!;
  const coded = { width: await video.getCodedWidth(), height: await video.getCodedHeight() };
  const transfer = (await video.getColorSpace()).transfer as string | undefined;
  return {
    container: inspection.container,
    videoCodec: inspection.videoCodec,
    display: displayOf(coded, await video.getPixelAspectRatio(), await video.getRotation()),
    frameRateHz: averageRateHz(index),
    totalFrames: index.timesUs.length,
    startSec: Math.min(frameTimeSec(index, 0), soundSec),
    firstFrameSec: frameTimeSec(index, 0),
    durationSec: Math.round(index.endUs - index.originUs) / 1e6,
    dynamicRange: transfer === 'pq' || transfer === 'hlg' ? transfer : 'sdr',
    ...(sound && {
      audio: { codec: sound.codec, sampleRateHz: sound.sampleRateHz, channels: sound.channels },
    }),
    videoTracks: inspection.videoTracks,
    audioTracks: inspection.audioTracks,
  };
}
