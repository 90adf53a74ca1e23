import {
  ALL_FORMATS,
  type AudioCodec,
  AudioSample,
  AudioSampleSink,
  AudioSampleSource,
  BufferSource,
  BufferTarget,
  Input,
  Mp4OutputFormat,
  Output,
} from 'mediabunny';

/** What an audio encoder is asked for. */
export type DelayedEncoding = {
  readonly codec: AudioCodec;
  readonly bitrate: number;
  readonly channels: number;
  readonly sampleRateHz: number;
};

/** Where the test click lies, in samples: beyond any encoder's warm-up, and room after it for the delay. */
const clickAt = 8192;
const clickLength = 16_384;

/**
 * How late an encoder's sound is, in seconds. AAC encoders put their priming (1024 samples or more) before the sound
 * and WebCodecs does not say how much, so a click goes through encoder and decoder and its place is looked up.
 *
 * @returns 0 where the click does not come back.
 */
export async function measureEncoderDelaySec(encoding: DelayedEncoding): Promise<number> {
  const click = await encodeClick(encoding);
  using input = new Input({ formats: ALL_FORMATS, source: new BufferSource(click) });
  const track = await input.getPrimaryAudioTrack();
  if (!track || !(await track.canDecode())) return 0;
  let loudest = { level: 0, timeSec: clickAt / encoding.sampleRateHz };
  for await (const sample of new AudioSampleSink(track).samples()) {
    const plane = new Float32Array(sample.numberOfFrames);
    sample.copyTo(plane, { planeIndex: 0, format: 'f32-planar' });
    for (const [i, x] of plane.entries())
      if (Math.abs(x) > loudest.level)
        loudest = { level: Math.abs(x), timeSec: sample.timestamp + i / sample.sampleRate };
    sample.close();
  }
  return loudest.timeSec - clickAt / encoding.sampleRateHz;
}

async function encodeClick({
  codec,
  bitrate,
  channels,
  sampleRateHz,
}: DelayedEncoding): Promise<ArrayBuffer> {
  const target = new BufferTarget();
  const output = new Output({ format: new Mp4OutputFormat(), target });
  const source = new AudioSampleSource({ codec, bitrate });
  output.addAudioTrack(source);
  await output.start();
  const data = new Float32Array(clickLength * channels);
  for (let c = 0; c < channels; c++) data[c * clickLength + clickAt] = 1;
  using sample = new AudioSample({
    data,
    format: 'f32-planar',
    numberOfChannels: channels,
    sampleRate: sampleRateHz,
    timestamp: 0,
  });
  await source.add(sample);
  source.close();
  await output.finalize();
  return target.buffer!;
}
