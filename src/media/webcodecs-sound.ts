import { AudioSampleSink, EncodedPacketSink, type InputAudioTrack } from 'mediabunny';
import { toDecodeError, untilAborted } from './decode-error.js';
import type { ReadRange } from './media.js';
import { prerollSec, type Sound, type SoundBlock, type SoundCopy } from './sound.js';

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
  const config = await track.getDecoderConfig();
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

  async function* packets(range: ReadRange): ReturnType<SoundCopy['packets']> {
    const sink = new EncodedPacketSink(track);
    const start = (range.startSec ?? 0) + originSec;
    const first = (await sink.getPacket(start - prerollSec)) ?? (await sink.getFirstPacket());
    if (!first) return;
    const end = (range.endSec ?? Number.POSITIVE_INFINITY) + originSec;
    for await (const packet of untilAborted(sink.packets(first), range.signal)) {
      if (packet.timestamp >= end) break;
      yield packet.clone({ timestamp: packet.timestamp - originSec });
    }
  }

  const copyable = codec === 'aac' || codec === 'opus' || codec === 'mp3';
  return {
    codec,
    sampleRateHz: await track.getSampleRate(),
    channels,
    blocks,
    ...(copyable && config && { copy: { codec, config, packets } }),
  };
}
