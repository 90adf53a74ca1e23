import { ALL_FORMATS, AudioSampleSink, EncodedPacketSink, Input, type InputAudioTrack } from 'mediabunny';
import type { Bytes } from '../containers/bytes.js';
import { toDecodeError, untilAborted } from '../input/decode-error.js';
import { prerollSec, type Sound, type SoundBlock, type SoundCopy } from '../input/sound.js';
import type { ReadRange } from '../media.js';
import { sourceOf } from './webcodecs-input.js';

/** When the sound of a track is first heard, in seconds on the file's clock; priming before 0 is never heard. */
export async function soundStartSec(track: InputAudioTrack): Promise<number> {
  return Math.max(0, await track.getFirstTimestamp());
}

/** @param options.originSec - What counts as 0 s on the file's clock. */
export async function openPacketSound(
  track: InputAudioTrack,
  { originSec, name }: { readonly originSec: number; readonly name: string },
): Promise<Sound> {
  const codec = (await track.getCodec())!;
  const channels = await track.getNumberOfChannels();

  async function* blocks(range: ReadRange): AsyncGenerator<SoundBlock, void, void> {
    const start = (range.startSec ?? 0) + originSec;
    const samples = new AudioSampleSink(track).samples(
      range.startSec ? start : undefined,
      range.endSec === undefined ? undefined : range.endSec + originSec,
    );
    try {
      for await (const sample of untilAborted(samples, range.signal)) {
        try {
          yield {
            timeSec: sample.timestamp - originSec,
            sampleRateHz: sample.sampleRate,
            channels: Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
              const plane = new Float32Array(sample.numberOfFrames);
              sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
              return plane;
            }),
          };
        } finally {
          sample.close();
        }
      }
    } catch (error) {
      throw toDecodeError(error, name, range.signal);
    }
  }

  const copy = await copyOf(track, originSec);
  return { codec, sampleRateHz: await track.getSampleRate(), channels, blocks, ...(copy && { copy }) };
}

/** Packets of the same file for another reader's media: pictures that need ffmpeg often come with plain AAC. */
export type SeparateCopy = { readonly copy: SoundCopy; close(): void };

/** Two readers place the same sound within this, or their clocks differ: half an AAC packet. */
const clockToleranceSec = 0.01;

/**
 * Opens the sound of a file whose picture another reader decodes.
 *
 * @param place - Where the other reader has the start of the sound and 0 s, in seconds on the file's clock.
 * @returns Undefined where the packets cannot be copied, or lie elsewhere than the other reader says.
 */
export async function openSeparateCopy(
  bytes: Bytes,
  place: { readonly soundStartSec: number; readonly originSec: number },
): Promise<SeparateCopy | undefined> {
  const input = new Input({ formats: ALL_FORMATS, source: sourceOf(bytes) });
  let copy: SoundCopy | undefined;
  try {
    const track = (await input.canRead()) ? await input.getPrimaryAudioTrack() : null;
    if (track && Math.abs((await soundStartSec(track)) - place.soundStartSec) < clockToleranceSec)
      copy = await copyOf(track, place.originSec);
    return copy && { copy, close: () => input.dispose() };
  } catch {
    // A container that this demuxer stumbles over is no reason to refuse: the sound is decoded instead.
    return undefined;
  } finally {
    if (!copy) input.dispose();
  }
}

async function copyOf(track: InputAudioTrack, originSec: number): Promise<SoundCopy | undefined> {
  const codec = await track.getCodec();
  const config = await track.getDecoderConfig();
  if (!config || (codec !== 'aac' && codec !== 'opus' && codec !== 'mp3')) return undefined;
  return {
    codec,
    config,
    async *packets(range) {
      const sink = new EncodedPacketSink(track);
      const start = (range.startSec ?? 0) + originSec;
      const first = (await sink.getPacket(start - prerollSec)) ?? (await sink.getFirstPacket());
      if (!first) return;
      const end = (range.endSec ?? Number.POSITIVE_INFINITY) + originSec;
      for await (const packet of untilAborted(sink.packets(first), range.signal)) {
        if (packet.timestamp >= end) break;
        yield packet.clone({ timestamp: packet.timestamp - originSec });
      }
    },
  };
}
