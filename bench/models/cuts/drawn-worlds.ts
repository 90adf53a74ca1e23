import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../../harness/random.js';

/** A picture larger than a thumbnail, over which a camera moves: RGB 0–1, `[height, width, 3]`. */
export type World = { readonly width: number; readonly height: number; readonly rgb: Float32Array };

/** Where the camera looks: middle and width of its window, as shares of the world's width. */
export type Look = { readonly x: number; readonly y: number; readonly span: number };

export const between = (random: Random, low: number, high: number): number => low + (high - low) * random();
export const pick = <Item>(random: Random, items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)]!;

const [columns, rows] = [48, 27];

/** A room, a street or a field, in a manner of speaking: a floor, a wall with things on it, and things before it. */
export function drawWorld(random: Random): World {
  const [width, height] = [192, 144];
  const rgb = new Float32Array(width * height * 3);
  const colour = () => [random(), random(), random()].map(value => 0.1 + 0.8 * value);
  const [top, bottom, floor] = [colour(), colour(), colour()];
  const horizon = between(random, 0.45, 0.8) * height;
  const grain = createNoise(random);
  const slope = between(random, -0.2, 0.2);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const below = y > horizon + slope * (x - width / 2);
      const shade = 0.75 + 0.5 * grain(x, y);
      for (let channel = 0; channel < 3; channel++) {
        const wall = top[channel]! + ((bottom[channel]! - top[channel]!) * y) / height;
        rgb[(y * width + x) * 3 + channel] = Math.min(1, (below ? floor[channel]! : wall) * shade);
      }
    }
  const things = 6 + Math.floor(random() * 14);
  for (let i = 0; i < things; i++) {
    const [middleX, middleY] = [random() * width, random() * height];
    const [halfX, halfY] = [between(random, 3, 26), between(random, 3, 30)];
    const [own, round, striped] = [colour(), random() < 0.5, random() < 0.3];
    const stripe = between(random, 2, 7);
    for (
      let y = Math.max(0, Math.floor(middleY - halfY));
      y < Math.min(height, Math.ceil(middleY + halfY));
      y++
    )
      for (
        let x = Math.max(0, Math.floor(middleX - halfX));
        x < Math.min(width, Math.ceil(middleX + halfX));
        x++
      ) {
        if (round && ((x - middleX) / halfX) ** 2 + ((y - middleY) / halfY) ** 2 > 1) continue;
        const light = (striped && Math.floor(x / stripe) % 2 ? 0.6 : 1) * (0.9 + 0.2 * grain(x + 50, y));
        for (let channel = 0; channel < 3; channel++)
          rgb[(y * width + x) * 3 + channel] = Math.min(1, own[channel]! * light);
      }
  }
  return { width, height, rgb };
}

/** Value noise in three octaves, 0–1. */
function createNoise(random: Random): (x: number, y: number) => number {
  const table = Float32Array.from({ length: 1024 }, random);
  const at = (x: number, y: number) => table[(x * 57 + y * 131) & 1023]!;
  return (x, y) =>
    [13, 6, 3].reduce((sum, size, octave) => {
      const [u, v] = [x / size, y / size];
      const [left, upper] = [Math.floor(u), Math.floor(v)];
      const [fx, fy] = [u - left, v - upper];
      const above = at(left, upper) * (1 - fx) + at(left + 1, upper) * fx;
      const below = at(left, upper + 1) * (1 - fx) + at(left + 1, upper + 1) * fx;
      return sum + [0.5, 0.3, 0.2][octave]! * (above * (1 - fy) + below * fy);
    }, 0);
}

/** What the camera sees, as a thumbnail: four samples to a pixel; the world goes on mirrored beyond its edges. */
export function photograph(world: World, { x, y, span }: Look): Float32Array {
  const thumbnail = new Float32Array(columns * rows * 3);
  const { width, height, rgb } = world;
  const step = (span * width) / columns / 2;
  const [left, upper] = [(x - span / 2) * width, y * width - (span * width * 9) / 32];
  for (let row = 0; row < rows * 2; row++) {
    const sourceY = mirrored(upper + (row + 0.5) * step, height);
    for (let column = 0; column < columns * 2; column++) {
      const sourceX = mirrored(left + (column + 0.5) * step, width);
      const from = (sourceY * width + sourceX) * 3;
      const to = ((row >> 1) * columns + (column >> 1)) * 3;
      for (let channel = 0; channel < 3; channel++)
        thumbnail[to + channel] = thumbnail[to + channel]! + rgb[from + channel]! / 4;
    }
  }
  return thumbnail;
}

function mirrored(place: number, size: number): number {
  const within = ((Math.floor(place) % (2 * size)) + 2 * size) % (2 * size);
  return within < size ? within : 2 * size - 1 - within;
}

/**
 * The validation pictures of a face data folder as worlds: photographs that no training has seen. Needs ffmpeg.
 *
 * @param folder - With `labels.jsonl`; none where it is not there.
 */
export function photographedWorlds(folder: string, count: number): World[] {
  const labels = join(folder, 'labels.jsonl');
  if (!existsSync(labels)) return [];
  const rows = readFileSync(labels, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { file: string; split: string; source: string; rights: string })
    .filter(row => row.split === 'val' && ['open', 'repo', 'research'].includes(row.rights));
  const stride = Math.max(1, Math.floor(rows.length / count));
  return rows
    .filter((_, i) => i % stride === 0)
    .slice(0, count)
    .map(({ file }) => {
      const [width, height] = [192, 128];
      const size = `${width}:${height}`;
      const scale = `scale=${size}:force_original_aspect_ratio=increase:flags=area,crop=${size}`;
      const raw = execFileSync(
        'ffmpeg',
        [
          '-v',
          'error',
          '-i',
          join(folder, file),
          '-vf',
          scale,
          '-pix_fmt',
          'rgb24',
          '-f',
          'rawvideo',
          '-frames:v',
          '1',
          '-',
        ],
        { maxBuffer: 1 << 24 },
      );
      return { width, height, rgb: Float32Array.from(raw, value => value / 255) };
    });
}
