import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PixelBox } from '../../src/schema/geometry.js';

/** A clip made of a real clip by ffmpeg's filters, and what is true about it. */
export type DrawnClip = {
  readonly name: string;
  readonly file: string;
  readonly kind: string;
  /** The picture without bars. */
  readonly picture: PixelBox;
  readonly bars: 'none' | 'black' | 'white' | 'blurred';
  /** Lettering and screens that were drawn, while they are seen (seconds). */
  readonly rectangles: readonly DrawnBox[];
};

/** What was drawn, where, and from when to when. */
export type DrawnBox = PixelBox & {
  readonly kind: 'text' | 'screen';
  readonly startSec: number;
  readonly endSec: number;
};

/** How a clip is made: ffmpeg's filters on `[0:v]`, and what is true then. */
export type Recipe = Omit<DrawnClip, 'file' | 'name'> & {
  readonly name: string;
  readonly source: string;
  readonly filters: string;
  readonly startSec?: number;
  readonly durationSec: number;
};

/** Renders a clip if it is not there yet. Encoded as published clips are, so that edges ring and letters are soft. */
export function draw(folder: string, recipe: Recipe): DrawnClip {
  const { name, source, filters, startSec = 0, durationSec, ...truth } = recipe;
  const file = join(folder, `${name}.mp4`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(file))
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-y', '-ss', `${startSec}`, '-t', `${durationSec}`, '-i', source],
      ...['-filter_complex', `[0:v]setsar=1,${filters}`, '-an', '-threads', '1'],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '24', '-pix_fmt', 'yuv420p', file],
    ]);
  return { name, file, ...truth };
}
