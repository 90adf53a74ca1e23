import { ALL_FORMATS, AudioBufferSink, BlobSource, Input, VideoSampleSink } from 'mediabunny';
import { expect, test } from 'vitest';
import { readTimecode } from '../fixtures/draw.js';
import { beepSec, type DrawnSpec, regularTimes } from '../fixtures/drawn-clip.js';
import { drawnClip, type EncodeOptions } from '../fixtures/encode-clip.js';

const spec: DrawnSpec = {
  size: { width: 160, height: 96 },
  timesSec: regularTimes(25, 15),
  shots: [{ startFrame: 0, discs: [{ x: 40, y: 50, radius: 20 }] }],
  flashFrames: [5],
};

const variants: readonly [string, EncodeOptions][] = [
  ['H.264 and Opus in MP4', {}],
  ['H.264 and AAC in MP4', { audioCodec: 'aac' }],
  ['H.264 and PCM in MP4', { audioCodec: 'pcm-s16' }],
  ['VP9 and Opus in WebM', { container: 'webm', videoCodec: 'vp9' }],
];

test.each(variants)(
  '%s: frames decode to their numbers and times, the beep is where the flash is',
  async (_, options) => {
    const { blob, truth } = await drawnClip(spec, options);
    using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(blob) });
    const decoded: number[] = [];
    for await (const sample of new VideoSampleSink((await input.getPrimaryVideoTrack())!).samples()) {
      const bytes = new Uint8Array(sample.allocationSize());
      const [luma] = await sample.copyTo(bytes);
      expect(sample.timestamp).toBeCloseTo(truth.frames[decoded.length]!.timeSec, 2);
      decoded.push(readTimecode(bytes.subarray(luma!.offset), spec.size, luma!.stride));
      sample.close();
    }
    expect(decoded).toEqual(truth.frames.map((_frame, index) => index));

    let first = Number.POSITIVE_INFINITY;
    let last = 0;
    for await (const { buffer, timestamp } of new AudioBufferSink(
      (await input.getPrimaryAudioTrack())!,
    ).buffers()) {
      for (const [i, value] of buffer.getChannelData(0).entries()) {
        if (Math.abs(value) < 0.2) continue;
        first = Math.min(first, timestamp + i / buffer.sampleRate);
        last = Math.max(last, timestamp + i / buffer.sampleRate);
      }
    }
    // Opus and AAC smear the start; PCM is exact.
    const toleranceSec = options.audioCodec === 'pcm-s16' ? 0.001 : 0.012;
    expect(Math.abs(first - truth.beepsSec[0]!)).toBeLessThan(toleranceSec);
    expect(Math.abs(last - truth.beepsSec[0]! - beepSec)).toBeLessThan(toleranceSec);
  },
);

test('irregular times, a late start and rotation are kept', async () => {
  const timesSec = [0.5, 0.54, 0.6, 0.75, 0.76, 1];
  const { blob, truth } = await drawnClip({ ...spec, timesSec, flashFrames: [] }, { rotationDeg: 90 });
  using input = new Input({ formats: ALL_FORMATS, source: new BlobSource(blob) });
  const track = (await input.getPrimaryVideoTrack())!;
  expect(await track.getRotation()).toBe(90);
  expect(await track.getDisplayWidth()).toBe(96);
  const times: number[] = [];
  for await (const sample of new VideoSampleSink(track).samples()) {
    times.push(Math.round(sample.timestamp * 1000) / 1000);
    sample.close();
  }
  expect(times).toEqual(timesSec);
  expect(truth.durationSec).toBeCloseTo(1.24, 9);
});
