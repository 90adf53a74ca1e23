import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pictureFromPlanes } from '../../../src/sampling/cpu.js';
import { thumbnailSize } from '../../../src/sampling/sampler.js';
import { readClip } from '../../harness/clip-frames.js';

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

async function sample(file: string): Promise<ClipThumbnails> {
  const { timesSec, frames } = readClip(file);
  const thumbnails: Float32Array[] = [];
  for await (const planes of frames()) {
    const picture = pictureFromPlanes(planes);
    thumbnails.push(await picture.thumbnail());
    picture.close();
  }
  const count = Math.min(thumbnails.length, timesSec.length);
  return { timesSec: timesSec.slice(0, count), thumbnails: thumbnails.slice(0, count) };
}
