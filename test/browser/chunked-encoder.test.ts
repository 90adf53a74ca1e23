import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { beforeAll, expect, test } from 'vitest';
import { type ChunkedEncoder, createChunkedEncoder } from '../../src/media/output/chunked-encoder.js';
import type { EncodeReport } from '../../src/media/output/encoder.js';
import { openMedia } from '../../src/media/source.js';
import { drawClip, readFrame } from './media-clips.js';

const size = { width: 192, height: 108 };
const timesSec = Array.from({ length: 30 }, (_, i) => i / 25 + (i % 2) * 0.004);
let source: File;
let directory: FileSystemDirectoryHandle;
beforeAll(async () => {
  source = await drawClip({ timesSec, lastDurationSec: 0.04 });
  directory = await navigator.storage.getDirectory();
});

const namesOf = async (clipName: string) => {
  const names: string[] = [];
  for await (const name of directory.keys()) if (name.startsWith(clipName)) names.push(name);
  return names.sort();
};

const open = (name: string) =>
  createChunkedEncoder({
    target: { kind: 'file', directory, name },
    size,
    frameRateHz: 25,
    videoEncoder: 'ffmpeg',
    ffmpeg: { coreUrl, wasmUrl },
    work: { of: 'a test' },
    shownBetween: (firstFrame, lastFrame) => ({ firstFrame, lastFrame }),
    chunkSec: 0.4,
  });

/** Adds the frames from where the encoder is to `endSec`. */
async function fill(encoder: ChunkedEncoder, endSec: number): Promise<void> {
  const media = await openMedia(source);
  const [gap] = encoder.gaps;
  for await (const { frame, ...at } of media.frames({ startSec: gap!.sourceSec ?? 0, endSec }))
    await encoder.add(frame, at);
  await media.close();
}

async function look({ file }: EncodeReport) {
  const media = await openMedia(await file!.getFile());
  const frames = [];
  for await (const { frame, timeSec } of media.frames()) {
    frames.push({ timeSec, ...(await readFrame(frame)) });
    frame.close();
  }
  await media.close();
  return { frames, durationSec: media.facts.durationSec };
}

test('a picture encoded by ffmpeg.wasm goes on from its last closed chunk', async () => {
  const uncut = await open('uncut.mp4');
  await fill(uncut, 2);
  const whole = await look(await uncut.finish());
  expect(whole.frames.map(f => f.rank)).toEqual(timesSec.map((_, i) => i));

  const cut = await open('cut.mp4');
  await fill(cut, 0.7);
  await cut.cancel();
  expect(await namesOf('cut.mp4')).toEqual(['cut.mp4.chunk-0000', 'cut.mp4.chunk-record']);
  const resumed = await open('cut.mp4');
  expect(resumed.gaps).toEqual([{ index: 1, frames: 10, startSec: 0.4, sourceSec: 0.4 }]);
  await fill(resumed, 2);
  const report = await resumed.finish();
  expect(report).toMatchObject({ videoEncoder: 'ffmpeg', frames: 30 });
  expect(await look(report)).toEqual(whole);
  expect(await namesOf('cut.mp4')).toEqual(['cut.mp4']);
  for (const name of ['cut.mp4', 'uncut.mp4']) await directory.removeEntry(name);
});
