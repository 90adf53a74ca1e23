import { ReframeError } from '../../schema/error.js';
import type { Display, Media, MediaFacts, MediaFrame, ReadRange } from '../media.js';
import { toDecodeError, untilAborted } from './decode-error.js';
import { createFrameFinisher } from './pixels.js';
import { bindSound, type SoundBlock, speechAudio } from './sound.js';

/**
 * A source that the caller decodes, for editors that have frames already. Timestamps count from 0 in presentation
 * order; frames arrive upright or with the rotation named in `display`.
 */
export type FrameSource = {
  /** Marks the source as one of frames. */
  readonly kind: 'frames';
  /**
   * Opens a fresh pass over the frames whose `timestamp` (µs) lies from `startSec` on; every call starts anew, since
   * analysis and render each make one. Each frame is closed by its receiver. Frames before the start are skipped.
   */
  frames(range: { readonly startSec: number }): AsyncIterable<VideoFrame>;
  /** Presentation times of all frames in seconds, ascending. Needed for ranks before anything is decoded. */
  readonly timesSec: readonly number[];
  /** End of the last frame in seconds. */
  readonly durationSec: number;
  /** The displayed picture, after rotation and pixel aspect. */
  readonly display: Display;
  /** Default `sdr`. */
  readonly dynamicRange?: MediaFacts['dynamicRange'];
  /** The sound, if there is one; same rule as `frames`. Blocks may begin early and have gaps. */
  readonly audio?: {
    /** Samples per second of each channel. */
    readonly sampleRateHz: number;
    /** Number of channels. */
    readonly channels: number;
    blocks(range: { readonly startSec: number }): AsyncIterable<Omit<SoundBlock, 'sampleRateHz'>>;
  };
};

/** Tells frames from files and addresses. */
export const isFrameSource = (input: unknown): input is FrameSource =>
  typeof input === 'object' && input !== null && (input as FrameSource).kind === 'frames';

/** A frame may be off its announced time by rounding to microseconds, twice. */
const toleranceSec = 2e-6;

/**
 * @throws RangeError where the times are not ascending; ReframeError `no_video` without frames; while iterating,
 *   `decode_failed` for a frame at a time that was not announced.
 */
export function openFrames(source: FrameSource): Media {
  const { timesSec, audio } = source;
  if (!timesSec.length) throw new ReframeError('no_video', 'The list of frame times is empty.');
  if (timesSec.some((t, i) => t < (timesSec[i - 1] ?? 0)))
    throw new RangeError('timesSec must be ascending from 0 on');
  const first = timesSec[0]!;
  const facts: MediaFacts = {
    container: 'frames',
    videoCodec: 'raw',
    display: source.display,
    frameRateHz: timesSec.length / Math.max(source.durationSec - first, 1e-6),
    totalFrames: timesSec.length,
    // When the caller's sound begins is not known before it is read.
    startSec: audio ? 0 : first,
    firstFrameSec: first,
    durationSec: source.durationSec,
    dynamicRange: source.dynamicRange ?? 'sdr',
    ...(audio && { audio: { codec: 'raw', sampleRateHz: audio.sampleRateHz, channels: audio.channels } }),
    videoTracks: 1,
    audioTracks: audio ? 1 : 0,
  };

  async function* frames(range: ReadRange = {}): AsyncGenerator<MediaFrame, void, void> {
    const startSec = range.startSec ?? 0;
    const finish = createFrameFinisher(facts.dynamicRange);
    let rank = timesSec.findIndex(t => t >= startSec - toleranceSec);
    if (rank < 0) return;
    const pass = source.frames({ startSec })[Symbol.asyncIterator]();
    try {
      for await (const decoded of untilAborted(pass, range.signal)) {
        const at = decoded.timestamp / 1e6;
        const expected = timesSec[rank] ?? Number.POSITIVE_INFINITY;
        if (at < expected - toleranceSec) {
          decoded.close();
          if (at >= startSec - toleranceSec)
            throw new ReframeError(
              'decode_failed',
              `A frame came at ${at} s, where the next was due at ${expected} s.`,
            );
          continue;
        }
        if (expected >= (range.endSec ?? Number.POSITIVE_INFINITY) - toleranceSec) {
          decoded.close();
          return;
        }
        if (at > expected + toleranceSec) {
          decoded.close();
          throw new ReframeError('decode_failed', `The frame at ${expected} s is missing.`);
        }
        const durationSec = (timesSec[rank + 1] ?? source.durationSec) - expected;
        const frame = await finish(decoded, {
          timestamp: Math.round(expected * 1e6),
          duration: Math.round(durationSec * 1e6),
        });
        yield { frame, frameNumber: rank++, timeSec: expected, durationSec };
      }
    } catch (error) {
      throw toDecodeError(error, 'the frames', range.signal);
    }
  }

  const media: Media = {
    facts,
    choice: { backend: 'frames', reason: 'the caller decodes' },
    frameTimeSec: rank => timesSec[rank] ?? source.durationSec,
    frames,
    async *audio(range = {}) {
      if (audio) yield* untilAborted(speechAudio(sound!, range), range.signal);
    },
    close: async () => undefined,
  };
  const sound = audio && {
    codec: 'raw',
    sampleRateHz: audio.sampleRateHz,
    channels: audio.channels,
    async *blocks(range: ReadRange) {
      const pass = audio.blocks({ startSec: range.startSec ?? 0 })[Symbol.asyncIterator]();
      for await (const block of untilAborted(pass, range.signal))
        yield { ...block, sampleRateHz: audio.sampleRateHz };
    },
  };
  if (sound) bindSound(media, sound);
  return media;
}
