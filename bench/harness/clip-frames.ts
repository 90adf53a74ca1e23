import { execFileSync, spawn } from 'node:child_process';
import { colourOf } from '../../src/pixels/colour.js';
import { type Planes, planesOf } from '../../src/pixels/planes.js';
import type { Size } from '../../src/schema/geometry.js';

/** A decoded clip: where its frames stand in time, and their pixels one after the other. */
export type ClipFrames = {
  readonly size: Size;
  /** From the first frame on, seconds. */
  readonly timesSec: readonly number[];
  frames(): AsyncGenerator<Planes>;
};

type Probe = {
  readonly streams: readonly { width: number; height: number; color_space?: string; color_range?: string }[];
  readonly frames: readonly { best_effort_timestamp_time: string }[];
};

/** Reads a clip with ffmpeg, frame by frame and as it is coded: pixel aspect and rotation are not looked at. */
export function readClip(file: string): ClipFrames {
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
  const size = { width, height };
  const display = { ...size, rotationDeg: 0 as const };
  const startSec = Number(probe.frames[0]!.best_effort_timestamp_time);
  return {
    size,
    timesSec: probe.frames.map(frame => Number(frame.best_effort_timestamp_time) - startSec),
    async *frames() {
      for await (const data of rawFrames(file, luma + 2 * chroma))
        yield planesOf({ format: 'I420', data, layout, size, colour, display });
    },
  };
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
