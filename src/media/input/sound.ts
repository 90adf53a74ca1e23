import type { EncodedPacket } from 'mediabunny';
import { type AudioBlock, audioRateHz, type Media, type ReadRange } from '../media.js';
import { createResampler } from './resampler.js';

/** Decoded sound at the source's rate; `timeSec` is the media time of the first sample (priming lies before 0). */
export type SoundBlock = {
  /** Media time of the first sample, seconds. */
  readonly timeSec: number;
  /** Samples per second of each channel. */
  readonly sampleRateHz: number;
  /** One array per channel, ±1, equally long. */
  readonly channels: readonly Float32Array[];
};

/** Encoded packets that an MP4 file may hold as they are; timestamps on the media's clock, in seconds. */
export type SoundCopy = {
  readonly codec: 'aac' | 'opus' | 'mp3';
  readonly config: AudioDecoderConfig;
  /** Packets that sound within the range, and those before it that a decoder needs to get there. */
  packets(range: ReadRange): AsyncGenerator<EncodedPacket, void, void>;
};

/**
 * The sound behind a {@link Media}, for this folder only: the encoder needs all channels, or the packets
 * themselves, which no one else does.
 */
export interface Sound {
  readonly codec: string;
  readonly sampleRateHz: number;
  readonly channels: number;
  /** Blocks that overlap the range, in order; they may begin early and have gaps or overlaps. */
  blocks(range: ReadRange): AsyncGenerator<SoundBlock, void, void>;
  readonly copy?: SoundCopy;
}

const sounds = new WeakMap<Media, Sound>();

/** Ties a sound to the media that it belongs to. */
export const bindSound = (media: Media, sound: Sound): void => void sounds.set(media, sound);

/** The sound of a media that this folder made; undefined for silent media. */
export const soundOf = (media: Media): Sound | undefined => sounds.get(media);

/**
 * How far a block's timestamp may be from where the samples before it end without being a gap, in seconds.
 * Containers round to a millisecond or more; the shortest gap that an ear hears as one is about this long.
 */
const jitterSec = 0.01;

/** A decoder that starts in the middle needs this much sound before its output is right (AAC 43 ms, Opus 80 ms). */
export const prerollSec = 0.1;

/** Sound without gaps from `startSec` on: silence is filled in, overlaps are cut, timestamps are trusted. */
export async function* continuousSound(
  sound: Sound,
  range: ReadRange,
): AsyncGenerator<Omit<SoundBlock, 'timeSec'>, void, void> {
  const startSec = range.startSec ?? 0;
  let position = 0;
  let first = true;
  const early = { ...range, startSec: Math.max(0, startSec - prerollSec) };
  for await (const block of sound.blocks(early)) {
    const { sampleRateHz, channels } = block;
    const end = Math.round(((range.endSec ?? Number.POSITIVE_INFINITY) - startSec) * sampleRateHz);
    let at = Math.round((block.timeSec - startSec) * sampleRateHz);
    if (!first && Math.abs(at - position) <= jitterSec * sampleRateHz) at = position;
    const skip = Math.max(0, position - at);
    const length = channels[0]?.length ?? 0;
    if (skip >= length) continue;
    if (at >= end) break;
    first = false;
    if (at > position) {
      yield { sampleRateHz, channels: channels.map(() => new Float32Array(at - position)) };
      position = at;
    }
    const take = Math.min(length - skip, end - position);
    yield { sampleRateHz, channels: channels.map(c => c.subarray(skip, skip + take)) };
    position += take;
    if (position >= end) break;
  }
}

/** Samples per block of {@link speechAudio}: a tenth of a second. */
const blockSamples = audioRateHz / 10;

/**
 * Output samples beyond both ends of a range that are computed and thrown away, so that a range sounds as the whole
 * does: more than half of the resampler's kernel, 20 ms.
 */
const marginSamples = audioRateHz / 50;

/** {@link Media.audio} for any sound: the mean of all channels at 16 kHz, from `startSec` to the end of the sound. */
export async function* speechAudio(
  sound: Sound,
  range: ReadRange = {},
): AsyncGenerator<AudioBlock, void, void> {
  const startSec = range.startSec ?? 0;
  const endSec = range.endSec ?? Number.POSITIVE_INFINITY;
  let skip = Math.min(marginSamples, Math.floor(startSec * audioRateHz));
  const wanted = Math.round((endSec - startSec) * audioRateHz);
  const margin = marginSamples / audioRateHz;
  const wide = { ...range, startSec: startSec - skip / audioRateHz, endSec: endSec + margin };
  let resampler: ReturnType<typeof createResampler> | undefined;
  let waiting: Float32Array[] = [];
  let waitingLength = 0;
  let given = 0;
  const take = (samples: Float32Array) => {
    const from = Math.min(skip, samples.length);
    skip -= from;
    const kept = samples.subarray(from, from + wanted - given - waitingLength);
    waiting.push(kept);
    waitingLength += kept.length;
  };
  const flush = (): AudioBlock => {
    const block = { timeSec: startSec + given / audioRateHz, samples: join(waiting, waitingLength) };
    given += waitingLength;
    waiting = [];
    waitingLength = 0;
    return block;
  };
  for await (const { sampleRateHz, channels } of continuousSound(sound, wide)) {
    range.signal?.throwIfAborted();
    resampler ??= createResampler(sampleRateHz, audioRateHz);
    take(resampler.push(meanOf(channels)));
    if (waitingLength >= blockSamples) yield flush();
  }
  if (resampler) take(resampler.finish());
  if (waitingLength) yield flush();
}

function join(parts: readonly Float32Array[], length: number): Float32Array {
  const joined = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function meanOf(channels: readonly Float32Array[]): Float32Array {
  if (channels.length === 1) return channels[0]!;
  const out = new Float32Array(channels[0]?.length ?? 0);
  for (const channel of channels)
    for (let i = 0; i < out.length; i++) out[i]! += channel[i]! / channels.length;
  return out;
}
