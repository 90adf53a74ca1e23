import {
  type AudioCodec,
  AudioSample,
  AudioSampleSource,
  canEncodeAudio,
  EncodedAudioPacketSource,
  type Output,
} from 'mediabunny';
import type { TimeRange } from '../../schema/time.js';
import { toDecodeError } from '../input/decode-error.js';
import { joinedSound } from '../input/joined-sound.js';
import { type Sound, type SoundBlock, type SoundCopy, soundOf } from '../input/sound.js';
import { audioRateHz, type Media } from '../media.js';
import { measureEncoderDelaySec } from './encoder-delay.js';
import type { Pace } from './pace.js';

/** The stretches of a source whose sound goes into the output, one after another; at least one. */
export type ClipSound = { readonly media: Media; readonly ranges: readonly TimeRange[] };

/** What became of the sound. */
export type AudioReport = {
  /** `copied`: the source's own packets; `webcodecs`, `package`: AAC by the browser or by `@mediabunny/aac-encoder`. */
  readonly way: 'none' | 'copied' | 'webcodecs' | 'package' | 'opus';
  readonly codec?: string;
  /** A sentence for the user, where the result is less than it could be. */
  readonly warning?: string;
};

/** A sound track that was added to an output. */
export type AudioOutput = {
  readonly report: AudioReport;
  /** Writes the whole track; returns when it is complete. */
  write(signal: AbortSignal): Promise<void>;
};

/** Tuned numbers of {@link addSound}. */
export const defaultAudioOutputOptions = {
  /** Bits per second of encoded sound: transparent for speech in stereo with AAC-LC and Opus. */
  bitrate: 128_000,
  /** Packets per added sample: a fifth of a second keeps calls few. */
  blockSec: 0.2,
} as const;

/**
 * Adds the sound track, by the first way that works: packets as they are (an edit list cuts to the sample), AAC by
 * WebCodecs, AAC by the optional package, Opus. Sound of several stretches is never copied: packets cannot be faded.
 *
 * @param pace - Holds the sound back while it is ahead of the picture.
 */
export async function addSound(
  output: Output,
  { media, ranges }: ClipSound,
  pace: Pace,
): Promise<AudioOutput | undefined> {
  if (!media.facts.audio) return undefined;
  const sound = soundOf(media);
  if (sound?.copy && ranges.length === 1) return copyPackets(output, sound.copy, ranges[0]!, pace);
  return encodeSound(output, sound ?? speechOnly(media), ranges, pace);
}

function copyPackets(output: Output, copy: SoundCopy, range: TimeRange, pace: Pace): AudioOutput {
  const source = new EncodedAudioPacketSource(copy.codec);
  output.addAudioTrack(source);
  return {
    report: { way: 'copied', codec: copy.codec },
    async write(signal) {
      let meta: EncodedAudioChunkMetadata | undefined = { decoderConfig: copy.config };
      for await (const packet of copy.packets({ ...range, signal })) {
        const timestamp = packet.timestamp - range.startSec;
        await pace.reach(timestamp);
        signal.throwIfAborted();
        await source.add(packet.clone({ timestamp }), meta);
        meta = undefined;
      }
      source.close();
    },
  };
}

async function encodeSound(
  output: Output,
  sound: Sound,
  ranges: readonly TimeRange[],
  pace: Pace,
): Promise<AudioOutput> {
  // Two channels are what every player has; more would need a layout that encoders agree on.
  const channels = Math.min(2, sound.channels);
  const { bitrate } = defaultAudioOutputOptions;
  const report = await chooseEncoder(channels, sound.sampleRateHz, bitrate);
  const codec = report.codec as AudioCodec;
  // Opus knows 48 kHz; sources at odd rates go the same way for AAC's sake.
  const keeps = codec === 'aac' && [32_000, 44_100, 48_000].includes(sound.sampleRateHz);
  const sampleRateHz = keeps ? sound.sampleRateHz : 48_000;
  const source = new AudioSampleSource({
    codec,
    bitrate,
    transform: { numberOfChannels: channels, sampleRate: sampleRateHz },
  });
  const delaySec = await measureEncoderDelaySec({ codec, bitrate, channels, sampleRateHz });
  output.addAudioTrack(source);
  return {
    report,
    async write(signal) {
      let position = 0;
      for await (const block of joinedSound(sound, ranges, signal)) {
        const timestamp = position / block.sampleRateHz;
        await pace.reach(timestamp);
        signal.throwIfAborted();
        // What the encoder delays begins earlier, where the edit list cuts the priming off.
        using sample = toSample(block, timestamp - delaySec);
        await source.add(sample);
        position += sample.numberOfFrames;
      }
      source.close();
    },
  };
}

async function chooseEncoder(channels: number, sampleRate: number, bitrate: number): Promise<AudioReport> {
  const config = { codec: 'mp4a.40.2', numberOfChannels: channels, sampleRate, bitrate };
  // Asked of the browser itself: the demuxer library also counts encoders that were registered with it.
  if ('AudioEncoder' in globalThis && (await AudioEncoder.isConfigSupported(config)).supported)
    return { way: 'webcodecs', codec: 'aac' };
  const useOpus = (remedy: string): AudioReport => ({
    way: 'opus',
    codec: 'opus',
    warning: `The sound is Opus, which some players do not read in MP4, because this browser encodes no AAC. ${remedy}`,
  });
  try {
    const { registerAacEncoder } = await import('@mediabunny/aac-encoder');
    if (!(await mayStartBlobWorkers()))
      return useOpus('Allow the AAC encoder its worker: add blob: to the policy’s worker-src.');
    if (!(await canEncodeAudio('aac'))) registerAacEncoder();
    return { way: 'package', codec: 'aac' };
  } catch {
    // The package is an optional peer: its absence is an answer, not an error.
    return useOpus('Install @mediabunny/aac-encoder to get AAC.');
  }
}

/**
 * Whether the page's policy lets workers start from blobs. The AAC encoder needs such a worker, and would
 * wait forever for a refused one.
 */
async function mayStartBlobWorkers(): Promise<boolean> {
  const url = URL.createObjectURL(new Blob(['postMessage(0)'], { type: 'text/javascript' }));
  let worker: Worker | undefined;
  try {
    return await new Promise<boolean>((resolve, reject) => {
      try {
        worker = new Worker(url);
        worker.onmessage = () => resolve(true);
        worker.onerror = () => resolve(false);
      } catch (error) {
        if (error instanceof DOMException && error.name === 'SecurityError') resolve(false);
        else reject(error);
      }
    });
  } finally {
    worker?.terminate();
    URL.revokeObjectURL(url);
  }
}

/** Media that this folder did not make have no more than their 16 kHz mono sound. */
function speechOnly(media: Media): Sound {
  return {
    codec: media.facts.audio!.codec,
    sampleRateHz: audioRateHz,
    channels: 1,
    async *blocks(range) {
      try {
        for await (const { timeSec, samples } of media.audio(range))
          yield { timeSec, sampleRateHz: audioRateHz, channels: [samples] };
      } catch (error) {
        throw toDecodeError(error, 'the sound', range.signal);
      }
    },
  };
}

/** At most the first two channels of a surround layout carry the front: more are mixed into them equally. */
function toSample({ channels, sampleRateHz }: Omit<SoundBlock, 'timeSec'>, timestamp: number): AudioSample {
  const length = channels[0]!.length;
  const data = new Float32Array(length * channels.length);
  for (const [i, channel] of channels.entries()) data.set(channel, i * length);
  return new AudioSample({
    data,
    format: 'f32-planar',
    numberOfChannels: channels.length,
    sampleRate: sampleRateHz,
    timestamp,
  });
}
