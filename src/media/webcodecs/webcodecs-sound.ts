import { ALL_FORMATS, AudioSampleSink, EncodedPacketSink, Input, type InputAudioTrack } from 'mediabunny';
import type { Bytes } from '../containers/bytes.js';
import type { EditedSpan } from '../containers/isobmff.js';
import { toDecodeError, untilAborted } from '../input/decode-error.js';
import { prerollSec, type Sound, type SoundBlock, type SoundCopy } from '../input/sound.js';
import type { ReadRange } from '../media.js';
import { sourceOf } from './webcodecs-input.js';

/** Where a sound lies on the file's clock: what counts as 0 s, and what its edit list lets hear. */
export type SoundPlace = { readonly originSec: number; readonly edit?: EditedSpan };

/** When the sound of a track is first heard, in seconds on the file's clock; priming before 0 is never heard. */
export async function soundStartSec(track: InputAudioTrack, edit?: EditedSpan): Promise<number> {
  return Math.max(edit?.startSec ?? 0, await track.getFirstTimestamp());
}

/** @param name - What to call the file in messages. */
export async function openPacketSound(
  track: InputAudioTrack,
  place: SoundPlace,
  name: string,
): Promise<Sound> {
  const { originSec, edit } = place;
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
          const { timestamp, sampleRate, numberOfFrames } = sample;
          const at = (sec: number | undefined, otherwise: number) =>
            sec === undefined ? otherwise : Math.round((sec - timestamp) * sampleRate);
          const first = Math.max(0, at(edit?.startSec, 0));
          const last = Math.min(numberOfFrames, at(edit?.endSec, numberOfFrames));
          if (first >= last) continue;
          yield {
            timeSec: timestamp + first / sampleRate - originSec,
            sampleRateHz: sampleRate,
            channels: Array.from({ length: sample.numberOfChannels }, (_, planeIndex) => {
              const plane = new Float32Array(numberOfFrames);
              sample.copyTo(plane, { planeIndex, format: 'f32-planar' });
              return plane.subarray(first, last);
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

  const copy = await copyOf(track, place);
  return { codec, sampleRateHz: await track.getSampleRate(), channels, blocks, ...(copy && { copy }) };
}

/** Packets of the same file for another reader's media: pictures that need ffmpeg often come with plain AAC. */
export type SeparateCopy = { readonly copy: SoundCopy; close(): void };

/** Two readers place the same sound within this, or their clocks differ: half an AAC packet. */
const clockToleranceSec = 0.01;

/**
 * Opens the sound of a file whose picture another reader decodes.
 *
 * @param place - Where the other reader has the sound; `soundStartSec` is when it begins, on the file's clock.
 * @returns Undefined where the packets cannot be copied, or lie elsewhere than the other reader says.
 */
export async function openSeparateCopy(
  bytes: Bytes,
  place: SoundPlace & { readonly soundStartSec: number },
): Promise<SeparateCopy | undefined> {
  const input = new Input({ formats: ALL_FORMATS, source: sourceOf(bytes) });
  let copy: SoundCopy | undefined;
  try {
    const track = (await input.canRead()) ? await input.getPrimaryAudioTrack() : null;
    if (track && Math.abs((await soundStartSec(track, place.edit)) - place.soundStartSec) < clockToleranceSec)
      copy = await copyOf(track, place);
    return copy && { copy, close: () => input.dispose() };
  } catch {
    // A container that this demuxer stumbles over is no reason to refuse: the sound is decoded instead.
    return undefined;
  } finally {
    if (!copy) input.dispose();
  }
}

/** Encoders put up to two packets of AAC before the sound, which are silent. */
const maxPrimingSec = 0.05;

async function copyOf(
  track: InputAudioTrack,
  { originSec, edit }: SoundPlace,
): Promise<SoundCopy | undefined> {
  const codec = await track.getCodec();
  const config = await track.getDecoderConfig();
  if (!config || (codec !== 'aac' && codec !== 'opus' && codec !== 'mp3')) return undefined;
  // In the copy nothing would keep silent what the edit list cuts off after a pause; before 0 nothing is heard anyway.
  if (edit && edit.startSec > 0 && (await track.getFirstTimestamp()) < edit.startSec - maxPrimingSec)
    return undefined;
  return {
    codec,
    config,
    async *packets(range) {
      const sink = new EncodedPacketSink(track);
      const start = (range.startSec ?? 0) + originSec;
      const first = (await sink.getPacket(start - prerollSec)) ?? (await sink.getFirstPacket());
      if (!first) return;
      const end = Math.min(
        (range.endSec ?? Number.POSITIVE_INFINITY) + originSec,
        edit?.endSec ?? Number.POSITIVE_INFINITY,
      );
      for await (const packet of untilAborted(sink.packets(first), range.signal)) {
        if (packet.timestamp >= end) break;
        yield packet.clone({ timestamp: packet.timestamp - originSec });
      }
    },
  };
}
