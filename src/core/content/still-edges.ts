import type { Size } from '../../schema/geometry.js';

/** Steps of brightness along rows that stay as they are: letters do, most of what is filmed does not. */
export interface StillEdges {
  /** The last picture. */
  readonly luma: Uint8Array;
  /** For how many pictures in a row each pixel has had a strong step that hardly changed; 0 is none. */
  readonly ages: Uint8Array;
  push(luma: Uint8Array): void;
  /** Pixels whose step was the same in {@link stillPictures} pictures and is as high as letters are, as 1; the rest is 0. */
  letterEdges(): Uint8Array;
  save(): StillEdgesState;
}

export type StillEdgesState = { readonly luma: Uint8Array; readonly ages: Uint8Array };

/** Edges count as still when they were the same in as many pictures. */
export const stillPictures = 3;
/** Steps of letters: at least this many levels between the neighbours of a pixel. */
const minStep = 24;
/** Coding noise changes a step by this much, and by this share of the step. */
const [noiseLevels, noiseShare] = [10, 0.25];
/** Edges that go on for more than this share of the height belong to frames, walls and columns. */
const maxLetterRatio = 0.16;

/** @param saved - State of another; the new one goes on from there. */
export function createStillEdges({ width, height }: Size, saved?: StillEdgesState): StillEdges {
  const last = saved ? saved.luma.slice() : new Uint8Array(width * height);
  const ages = saved ? saved.ages.slice() : new Uint8Array(width * height);
  return {
    luma: last,
    ages,
    push(luma) {
      for (let y = 0; y < height; y++) {
        const row = y * width;
        for (let at = row + 1; at < row + width - 1; at++) {
          const step = luma[at + 1]! - luma[at - 1]!;
          const size = step < 0 ? -step : step;
          if (size < minStep) ages[at] = 0;
          else {
            const change = step - (last[at + 1]! - last[at - 1]!);
            const isStill = (change < 0 ? -change : change) <= noiseLevels + noiseShare * size;
            ages[at] = isStill ? Math.min(255, ages[at]! + 1) : 1;
          }
        }
      }
      last.set(luma);
    },
    letterEdges() {
      const edges = new Uint8Array(width * height);
      const longest = maxLetterRatio * height;
      for (let x = 1; x < width - 1; x++) {
        let [from, sign] = [-1, 0];
        for (let y = 0; y <= height; y++) {
          const at = y * width + x;
          const isEdge = y < height && ages[at]! >= stillPictures;
          const now = isEdge ? Math.sign(last[at + 1]! - last[at - 1]!) : 0;
          if (now === sign) continue;
          if (sign && y - from <= longest) for (let k = from; k < y; k++) edges[k * width + x] = 1;
          [from, sign] = [y, now];
        }
      }
      return edges;
    },
    save: () => ({ luma: last.slice(), ages: ages.slice() }),
  };
}
