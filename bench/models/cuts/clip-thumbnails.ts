import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { colourOf } from '../../../src/pixels/colour.js';
import { planesOf } from '../../../src/pixels/planes.js';
import { pictureFromPlanes } from '../../../src/sampling/cpu.js';
import { thumbnailSize } from '../../../src/sampling/sampler.js';

/** The thumbnails of a clip's frames, in order, and when each is shown. */
export type ClipThumbnails = {
  readonly timesSec: readonly number[];
  readonly thumbnails: readonly Float32Array[];
};

const thumbnailLength = 3 * thumbnailSize.width * thumbnailSize.height;

/**
 * Thumbnails as the product's sampler makes them of decoded frames. Kept in `cache` as 16-bit numbers, which is finer
 * than the 8 bits that they were made of.
 */
export async function clipThumbnails(file: string, cache: string): Promise<ClipThumbnails> {
  const path = join(cache, `${basename(file)}-${statSync(file).size}.thumbnails`);
  if (!existsSync(`${path}.json`)) {
    mkdirSync(cache, { recursive: true });
    const { timesSec, thumbnails } = await sample(file);
    const stored = new Uint16Array(thumbnails.length * thumbnailLength);
    thumbnails.forEach((thumbnail, i) => {
      stored.set(
        thumbnail.map(value => Math.round(value * 65535)),
        i * thumbnailLength,
      );
    });
    writeFileSync(path, new Uint8Array(stored.buffer));
    writeFileSync(`${path}.json`, JSON.stringify(timesSec));
  }
  const bytes = new Uint8Array(readFileSync(path));
  const stored = new Uint16Array(bytes.buffer);
  const timesSec = JSON.parse(readFileSync(`${path}.json`, 'utf8')) as number[];
  const thumbnails = timesSec.map((_, i) =>
    Float32Array.from(
      stored.subarray(i * thumbnailLength, (i + 1) * thumbnailLength),
      value => value / 65535,
    ),
  );
  return { timesSec, thumbnails };
}

type Probe = {
  readonly streams: readonly { width: number; height: number; color_space?: string; color_range?: string }[];
  readonly frames: readonly { best_effort_timestamp_time: string }[];
};

async function sample(file: string): Promise<ClipThumbnails> {
  const entries = 'frame=best_effort_timestamp_time:stream=width,height,color_space,color_range';
  const select = ['-v', 'error', '-select_streams', 'v:0', '-show_entries', entries, '-of', 'json', file];
  const probe = JSON.parse(
    execFileSync('ffprobe', select, { maxBuffer: 1 << 28, encoding: 'utf8' }),
  ) as Probe;
  const { width, height, color_space = null, color_range } = probe.streams[0]!;
  const colour = colourOf({ matrix: color_space, fullRange: color_range === 'pc' }, height, 8);
  const [chromaWidth, chromaHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const luma = width * height;
  const chroma = chromaWidth * chromaHeight;
  const layout = [
    { offset: 0, stride: width },
    { offset: luma, stride: chromaWidth },
    { offset: luma + chroma, stride: chromaWidth },
  ];
  const thumbnails: Float32Array[] = [];
  for await (const data of rawFrames(file, luma + 2 * chroma)) {
    const size = { width, height };
    const display = { ...size, rotationDeg: 0 as const };
    const picture = pictureFromPlanes(planesOf({ format: 'I420', data, layout, size, colour, display }));
    thumbnails.push(await picture.thumbnail());
    picture.close();
  }
  const startSec = Number(probe.frames[0]!.best_effort_timestamp_time);
  const timesSec = probe.frames
    .slice(0, thumbnails.length)
    .map(frame => Number(frame.best_effort_timestamp_time) - startSec);
  return { timesSec, thumbnails: thumbnails.slice(0, timesSec.length) };
}

/** Decoded frames as planar 4:2:0, each in its own bytes. */
async function* rawFrames(file: string, frameBytes: number): AsyncGenerator<Uint8Array> {
  const args = ['-v', 'error', '-i', file, '-map', '0:v:0', '-fps_mode', 'passthrough'];
  const decoder = spawn('ffmpeg', [...args, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of decoder.stdout as AsyncIterable<Uint8Array>) {
    pieces.push(piece);
    length += piece.length;
    if (length < frameBytes) continue;
    const whole = new Uint8Array(Buffer.concat(pieces));
    let at = 0;
    for (; at + frameBytes <= whole.length; at += frameBytes) yield whole.subarray(at, at + frameBytes);
    pieces = [whole.subarray(at)];
    length = whole.length - at;
  }
}
