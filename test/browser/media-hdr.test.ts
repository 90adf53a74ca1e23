import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { expect, test } from 'vitest';
import { openFfmpegSession } from '../../src/media/ffmpeg/ffmpeg-session.js';
import type { Media } from '../../src/media/media.js';
import { openMedia } from '../../src/media/source.js';
import { readFrame } from './media-clips.js';

const ffmpeg = { coreUrl, wasmUrl };

/** A ramp with moving colours as 10-bit H.264, which both readers decode. */
async function drawDeep(transfer: 'smpte2084' | 'arib-std-b67' | 'bt709'): Promise<File> {
  const session = await openFfmpegSession(ffmpeg, {});
  try {
    const matrix = transfer === 'bt709' ? ['bt709', 'bt709'] : ['bt2020', 'bt2020nc'];
    const { code, log } = await session.exec([
      ...['-f', 'lavfi', '-i', 'testsrc2=size=192x108:rate=10:duration=1', '-pix_fmt', 'yuv420p10le'],
      ...['-c:v', 'libx264', '-profile:v', 'high10', '-preset', 'ultrafast', '-threads', '1', '-qp', '12'],
      ...[
        '-color_trc',
        transfer,
        '-color_primaries',
        matrix[0]!,
        '-colorspace',
        matrix[1]!,
        '-color_range',
        'tv',
      ],
      '/frames/deep.mp4',
    ]);
    if (code) throw new Error(log.slice(-3).join('\n'));
    return new File([await session.read('/frames/deep.mp4')], 'deep.mp4');
  } finally {
    session.terminate();
  }
}

/** Mean luma of every frame, 8-bit codes. */
async function lumas(media: Media): Promise<number[]> {
  const all: number[] = [];
  for await (const { frame } of media.frames()) {
    expect(frame.format).toBe('I420');
    all.push((await readFrame(frame)).meanLuma);
    frame.close();
  }
  await media.close();
  return all;
}

test.for([
  ['smpte2084', 'pq'],
  ['arib-std-b67', 'hlg'],
  ['bt709', 'sdr'],
] as const)('both readers give the same 8-bit picture of 10-bit %s', async ([transfer, dynamicRange]) => {
  const file = await drawDeep(transfer);
  const [a, b] = await Promise.all([
    openMedia(file, { decoder: 'webcodecs' }),
    openMedia(file, { decoder: 'ffmpeg', ffmpeg }),
  ]);
  expect([a.facts.dynamicRange, b.facts.dynamicRange]).toEqual([dynamicRange, dynamicRange]);
  const [x, y] = [await lumas(a), await lumas(b)];
  expect([x.length, y.length]).toEqual([10, 10]);
  for (const [i, luma] of x.entries()) expect(Math.abs(luma / y[i]! - 1)).toBeLessThan(0.05);
});
