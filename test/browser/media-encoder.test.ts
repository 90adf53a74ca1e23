import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { expect, test } from 'vitest';
import { openFfmpegSession } from '../../src/media/ffmpeg/ffmpeg-session.js';
import type { Media } from '../../src/media/media.js';
import { createEncoder, type EncodeReport, type EncoderOptions } from '../../src/media/output/encoder.js';
import { openMedia } from '../../src/media/source.js';
import { beepStart } from '../contract/media-contract.js';
import { type ClipSpec, drawClip, readFrame } from './media-clips.js';

const ffmpeg = { coreUrl, wasmUrl };
const size = { width: 192, height: 108 };
const beep = [1, 1.1] as const;

/** A clip whose picture starts 40 ms after its sound, with unsteady frame times. */
const draw = (spec: Partial<ClipSpec> = {}) =>
  drawClip({
    timesSec: Array.from({ length: 50 }, (_, i) => 0.04 + i / 25 + (i % 2) * 0.005),
    lastDurationSec: 0.04,
    soundSec: [0, 2],
    beepsSec: [beep],
    ...spec,
  });

/** Copies a stretch of a clip frame by frame. */
async function transcode(
  media: Media,
  startSec: number,
  endSec: number,
  options: Partial<EncoderOptions> = {},
): Promise<EncodeReport> {
  const encoder = await createEncoder({
    target: { kind: 'blob' },
    size,
    frameRateHz: 25,
    sound: { media, ranges: [{ startSec, endSec }] },
    ...options,
  });
  for await (const { frame, timeSec, durationSec } of media.frames({ startSec, endSec })) {
    const timestamp = Math.round((timeSec - startSec) * 1e6);
    await encoder.add(new VideoFrame(frame, { timestamp, duration: Math.round(durationSec * 1e6) }));
    frame.close();
  }
  return encoder.finish();
}

/** What came out: ranks shown, times, and when the tone begins. */
async function look(blob: Blob) {
  const media = await openMedia(blob);
  const ranks: number[] = [];
  const times: number[] = [];
  for await (const { frame, timeSec } of media.frames()) {
    ranks.push((await readFrame(frame)).rank);
    times.push(timeSec);
    frame.close();
  }
  const beepSec = await beepStart(media);
  await media.close();
  return { ranks, times, beepSec, facts: media.facts };
}

for (const { name, spec, options, way } of [
  { name: 'packets that are copied', spec: {}, options: {}, way: 'copied' },
  { name: 'AAC by the package', spec: {}, options: {}, way: 'package' },
  { name: 'video by ffmpeg.wasm', spec: {}, options: { ffmpeg, videoEncoder: 'ffmpeg' }, way: 'copied' },
] as const)
  test.for([
    [0, 2],
    [0.52, 1.72],
  ] as const)(`keeps frames, times and sync with ${name}, %s to %s s`, async ([startSec, endSec]) => {
    const source = await openMedia(await draw(spec), way === 'package' ? { decoder: 'ffmpeg', ffmpeg } : {});
    const report = await transcode(source, startSec, endSec, options);
    expect(report.audio).toMatchObject({ way, codec: 'aac' });
    const expected = [];
    for await (const { frame, timeSec, frameNumber } of source.frames({ startSec, endSec })) {
      expected.push({ frameNumber, timeSec: timeSec - startSec });
      frame.close();
    }
    const { ranks, times, beepSec, facts } = await look(report.blob!);
    expect(ranks).toEqual(expected.map(e => e.frameNumber));
    for (const [i, e] of expected.entries()) expect(Math.abs(times[i]! - e.timeSec)).toBeLessThan(2e-5);
    expect(Math.abs(beepSec - (beep[0] - startSec))).toBeLessThan(0.002);
    expect(Math.abs(facts.durationSec - (endSec - startSec))).toBeLessThan(0.05);
    await source.close();
  });

test('sound packets are copied also where only ffmpeg decodes the picture', async () => {
  const drawn = await draw();
  const session = await openFfmpegSession(ffmpeg, { file: drawn });
  // MPEG-4 part 2, which no browser decodes.
  const { code } = await session.exec([
    ...['-i', session.inputPath, '-c:v', 'mpeg4', '-q:v', '2', '-c:a', 'copy', '-vsync', 'passthrough'],
    '/frames/old.mp4',
  ]);
  expect(code).toBe(0);
  const file = new File([await session.read('/frames/old.mp4')], 'old.mp4');
  session.terminate();
  const source = await openMedia(file, { ffmpeg });
  expect(source.choice.backend).toBe('ffmpeg');
  expect(source.choice.reason).toContain('no decoder');
  const report = await transcode(source, 0.52, 1.72);
  expect(report.audio).toEqual({ way: 'copied', codec: 'aac' });
  expect(Math.abs((await look(report.blob!)).beepSec - 0.48)).toBeLessThan(0.002);
  await source.close();
});

test('a file of the private file system has its name only when it is complete', async () => {
  const directory = await navigator.storage.getDirectory();
  const names = async () => {
    const all: string[] = [];
    for await (const name of directory.keys()) all.push(name);
    return all.filter(n => n.startsWith('encoded'));
  };
  const source = await openMedia(await draw());
  const target = { kind: 'file', directory, name: 'encoded.mp4' } as const;
  const encoder = await createEncoder({ target, size, frameRateHz: 25 });
  for await (const { frame } of source.frames({ endSec: 0.3 })) await encoder.add(frame);
  expect(await names()).toContain('encoded.mp4.part');
  expect(await names()).not.toContain('encoded.mp4');
  const report = await encoder.finish();
  expect(await names()).toEqual(['encoded.mp4']);
  expect((await report.file!.getFile()).size).toBe(report.sizeBytes);
  await directory.removeEntry('encoded.mp4');

  const abort = new AbortController();
  const stopped = await createEncoder({
    target,
    size,
    frameRateHz: 25,
    sound: { media: source, ranges: [{ startSec: 0, endSec: 2 }] },
    signal: abort.signal,
  });
  for await (const { frame } of source.frames({ endSec: 0.3 })) await stopped.add(frame);
  abort.abort(new Error('enough'));
  await expect(stopped.finish()).rejects.toThrow('enough');
  expect(await names()).toEqual([]);
  await source.close();
});

test('a stream gets chunks that make the same file', async () => {
  const source = await openMedia(await draw());
  const parts: { position: number; data: Uint8Array }[] = [];
  const writable = new WritableStream<{ type: 'write'; data: Uint8Array<ArrayBuffer>; position: number }>({
    write: ({ position, data }) => void parts.push({ position, data: data.slice() }),
  });
  const report = await transcode(source, 0, 2, { target: { kind: 'stream', writable } });
  const bytes = new Uint8Array(report.sizeBytes);
  for (const { position, data } of parts) bytes.set(data, position);
  expect((await look(new Blob([bytes]))).ranks.length).toBe(report.frames);
  await source.close();
});

test('an odd size is the caller’s mistake', async () => {
  const options = { target: { kind: 'blob' }, size: { width: 191, height: 108 }, frameRateHz: 25 } as const;
  await expect(createEncoder(options)).rejects.toThrow(RangeError);
});
