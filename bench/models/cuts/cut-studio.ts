import type { Random } from '../../harness/random.js';
import { between, drawWorld, type Look, photograph, pick, type World } from './drawn-worlds.js';

/** A made video whose boundaries are known. */
export type CutClip = {
  readonly name: string;
  /** What it shows, such as `dissolve` or `whip pan`. */
  readonly kind: string;
  readonly frameRateHz: number;
  /** float32 `[27, 48, 3]`, RGB 0–1. */
  readonly thumbnails: readonly Float32Array[];
  /** First frames of new shots. */
  readonly cuts: readonly number[];
  /** Gradual transitions, [first, last] mixed frame: one boundary belongs into each. */
  readonly transitions: readonly (readonly [number, number])[];
};

/** A run of pictures without a boundary. */
export type Run = Float32Array[];
/** What is made of a seed: pictures and the truth about them. */
export type Made = Pick<CutClip, 'thumbnails' | 'cuts' | 'transitions'> & { readonly frameRateHz?: number };
/** Where one clip is made; `world` never gives the same photograph twice in a row. */
export type Studio = { readonly random: Random; readonly world: () => World };

export function createStudio(random: Random, pictures: readonly World[]): Studio {
  let last: World | undefined;
  const world = () => {
    const others = pictures.filter(picture => picture !== last);
    return (last = others.length && random() < 0.5 ? pick(random, others) : drawWorld(random));
  };
  return { random, world };
}

export const each = (count: number, draw: (i: number) => Float32Array): Run =>
  Array.from({ length: count }, (_, i) => draw(i));
export const plain = (level: number) => new Float32Array(48 * 27 * 3).fill(level);
export const clipped = (value: number) => Math.min(1, Math.max(0, value));

export const blend = (
  a: Float32Array,
  b: Float32Array,
  share: (x: number, y: number) => number,
): Float32Array =>
  a.map((value, i) => {
    const pixel = Math.floor(i / 3);
    const s = share(pixel % 48, Math.floor(pixel / 48));
    return (1 - s) * value + s * b[i]!;
  });

export const somewhere = (random: Random): Look => ({
  x: between(random, 0.35, 0.65),
  y: between(random, 0.28, 0.42),
  span: between(random, 0.45, 0.7),
});

/** A camera held by hand or on a tripod, slowly panning or not. */
export function shoot({ random }: Studio, world: World, count: number, look = somewhere(random)): Run {
  const speed = random() < 0.5 ? 0 : between(random, -0.003, 0.003);
  const tremble = random() < 0.5 ? 0 : between(random, 0.0005, 0.004);
  const [a, b] = [between(random, 0.2, 0.8), between(random, 0.2, 0.8)];
  const grain = between(random, 0, 0.01);
  return each(count, i => {
    const [x, y] = [look.x + speed * i + tremble * Math.sin(a * i), look.y + tremble * Math.sin(b * i + 1)];
    return photograph(world, { x, y, span: look.span }).map(value =>
      clipped(value + grain * (random() - 0.5)),
    );
  });
}

export const shootAny = (studio: Studio, count: number): Run => shoot(studio, studio.world(), count);
export const someFrames = ({ random }: Studio): number => Math.floor(between(random, 20, 45));

/** Shots one after the other. */
export function cutTogether(runs: readonly Run[]): Made {
  const cuts: number[] = [];
  let at = 0;
  for (const run of runs.slice(0, -1)) cuts.push((at += run.length));
  return { thumbnails: runs.flat(), cuts, transitions: [] };
}

export const threeShots = (studio: Studio): Made =>
  cutTogether([0, 1, 2].map(() => shootAny(studio, someFrames(studio))));

/** Changes every picture of what was made; the boundaries stay. */
export const through = (made: Made, change: (picture: Float32Array, i: number) => Float32Array): Made => ({
  ...made,
  thumbnails: made.thumbnails.map(change),
});

/** Two shots and the mixed frames between them. */
export function join(
  studio: Studio,
  length: number,
  mixed: (old: Float32Array, fresh: Float32Array, share: number) => Float32Array,
): Made {
  const [before, after] = [someFrames(studio) + 15, someFrames(studio) + 15];
  const old = shootAny(studio, before + length);
  const fresh = shootAny(studio, after + length);
  const middle = each(length, i => mixed(old[before + i]!, fresh[i]!, (i + 1) / (length + 1)));
  return {
    thumbnails: [...old.slice(0, before), ...middle, ...fresh.slice(length)],
    cuts: [],
    transitions: [[before, before + length - 1]],
  };
}

/** A wipe along an order of the pixels, 0–1. */
export const wipe = (studio: Studio, order: (x: number, y: number) => number): Made =>
  join(studio, pick(studio.random, [11, 12, 24, 25]), (old, fresh, share) =>
    blend(old, fresh, (x, y) => clipped((share * 1.1 - 0.05 - order(x, y)) / 0.05 + 0.5)),
  );

export const quiet = (studio: Studio): Run => shootAny(studio, 100);
export const noCut = (thumbnails: Run): Made => ({ thumbnails, cuts: [], transitions: [] });

/** Something dark and textured that moves over the picture; its middle is a function of the frame. */
export const cover = (
  run: Run,
  inside: (x: number, y: number, i: number) => boolean,
  paint: (x: number, y: number) => number,
): Run =>
  run.map((picture, i) =>
    picture.map((value, at) => {
      const pixel = Math.floor(at / 3);
      const [x, y] = [pixel % 48, Math.floor(pixel / 48)];
      return inside(x, y, i) ? paint(x, y) : value;
    }),
  );
