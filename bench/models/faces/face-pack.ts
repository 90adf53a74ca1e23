import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Planes, planesOf } from '../../../src/pixels/planes.js';
import type { LabelledPicture } from './detection-score.js';

/** The fields of a line of `labels.jsonl` that are read here. */
type Line = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly source: string;
  readonly split: 'train' | 'val' | 'test';
  readonly gold: boolean;
  readonly boxes: readonly { x: number; y: number; w: number; h: number; ignore: boolean }[];
};

/** The pictures of the `val` split; its gold ones are among them. */
export function readValidationPictures(folder: string): LabelledPicture[] {
  return readFileSync(join(folder, 'labels.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Line)
    .filter(({ split }) => split === 'val')
    .map(({ file, width, height, source, gold, boxes }) => {
      const inPixels = (isIgnored: boolean) =>
        boxes
          .filter(({ ignore }) => ignore === isIgnored)
          .map(({ x, y, w, h }) => ({ x: x * width, y: y * height, width: w * width, height: h * height }));
      return { file, width, height, source, isGold: gold, faces: inPixels(false), ignored: inPixels(true) };
    });
}

/**
 * Decodes a picture with ffmpeg, as the product's sampler reads pixels.
 *
 * @param cache - Folder where decoded pictures are kept: starting ffmpeg takes longer than a small network.
 */
export function decodePicture(path: string, { width, height }: LabelledPicture, cache: string): Planes {
  const kept = join(cache, `${basename(path)}.rgba`);
  const data = existsSync(kept) ? readFileSync(kept) : decode(path);
  if (data.length !== 4 * width * height) throw new Error(`${path} is not ${width}×${height}.`);
  if (!existsSync(kept)) {
    mkdirSync(cache, { recursive: true });
    // Whole or not at all, whenever the run is cut short.
    writeFileSync(`${kept}.part`, data);
    renameSync(`${kept}.part`, kept);
  }
  return planesOf({
    format: 'RGBA',
    data,
    layout: [{ offset: 0, stride: 4 * width }],
    size: { width, height },
    colour: { matrix: 'rgb', range: 'full', bits: 8 },
    display: { width, height, rotationDeg: 0 },
  });
}

function decode(path: string): Buffer {
  const flags = 'accurate_rnd+full_chroma_int+full_chroma_inp';
  const args = ['-v', 'error', '-i', path, '-sws_flags', flags, '-f', 'rawvideo', '-pix_fmt', 'rgba', '-'];
  return execFileSync('ffmpeg', args, { maxBuffer: 1 << 26 });
}
