import { ALL_FORMATS, AudioBufferSink, BlobSource, Input, VideoSampleSink } from 'mediabunny';
import { beepSec } from '../fixtures/drawn-clip.js';

/** Luma of each frame of a clip, and when it is shown. */
export async function* lumaOf(file: Blob) {
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  for await (const sample of new VideoSampleSink((await input.getPrimaryVideoTrack())!).samples()) {
    const bytes = new Uint8Array(sample.allocationSize());
    const [luma] = await sample.copyTo(bytes);
    const frame = {
      timeSec: sample.timestamp,
      luma: bytes.subarray(luma!.offset),
      stride: luma!.stride,
      width: sample.codedWidth,
      height: sample.codedHeight,
    };
    sample.close();
    yield frame;
  }
}

/** When beeps start in a clip's sound. */
export async function beepsOf(file: Blob): Promise<number[]> {
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(file) });
  const beeps: number[] = [];
  for await (const { buffer, timestamp } of new AudioBufferSink(
    (await input.getPrimaryAudioTrack())!,
  ).buffers()) {
    const samples = buffer.getChannelData(0);
    for (let i = 0; i < samples.length; i++) {
      const timeSec = timestamp + i / buffer.sampleRate;
      if (Math.abs(samples[i]!) > 0.3 && timeSec - (beeps.at(-1) ?? -1) > 3 * beepSec) beeps.push(timeSec);
    }
  }
  return beeps;
}
