import { mulberry32 } from '../../harness/random.js';
import {
  blend,
  type CutClip,
  clipped,
  cover,
  createStudio,
  cutTogether,
  each,
  join,
  type Made,
  noCut,
  plain,
  quiet,
  type Run,
  type Studio,
  shoot,
  shootAny,
  someFrames,
  somewhere,
  threeShots,
  through,
  wipe,
} from './cut-studio.js';
import { between, type Look, photograph, pick, type World } from './drawn-worlds.js';

/**
 * Draws the test clips. Scenes, lengths of transitions (11, 12, 24, 25, 40 and 50 frames), wipes (diamond, zigzag,
 * diagonal blinds) and graphics (tickers, bursts, rain) are none that the training recipe draws.
 *
 * @param seed - The same seed gives the same clips.
 * @param pictures - Photographs to take every second shot from; drawn worlds otherwise.
 */
export function generateCutClips(seed: number, pictures: readonly World[] = [], perKind = 8): CutClip[] {
  return Object.entries(kinds).flatMap(([kind, make], k) =>
    Array.from({ length: perKind }, (_, i) => {
      const random = mulberry32(seed * 7919 + k * 131 + i);
      return { name: `${kind} ${i + 1}`, kind, frameRateHz: 25, ...make(createStudio(random, pictures)) };
    }),
  );
}

const kinds: Readonly<Record<string, (studio: Studio) => Made>> = {
  'hard cut': threeShots,
  'hard cut, same scene': studio => {
    const world = studio.world();
    const wide: Look = { x: 0.5, y: 0.35, span: 0.75 };
    const close: Look = {
      x: between(studio.random, 0.4, 0.6),
      y: 0.33,
      span: between(studio.random, 0.4, 0.56),
    };
    return cutTogether([wide, close, wide].map(look => shoot(studio, world, someFrames(studio), look)));
  },
  'hard cut, dark': studio => {
    const gain = between(studio.random, 0.1, 0.2);
    return through(threeShots(studio), picture =>
      picture.map(value => clipped(value * gain + 0.012 * studio.random())),
    );
  },
  'hard cut, quick': studio => cutTogether(each5(studio)),
  'hard cut under a caption': studio => {
    const seed = studio.random() * 100;
    const letters = (x: number, y: number) => (Math.sin(x * 12.9 + y * 78.2 + seed) > 0 ? 0.95 : 0.1);
    const made = threeShots(studio);
    return {
      ...made,
      thumbnails: cover([...made.thumbnails], (x, y) => y > 20 && y < 24 && x > 6 && x < 42, letters),
    };
  },
  'hard cut, letterboxed': studio => {
    const bar = Math.floor(between(studio.random, 3, 6));
    return through(threeShots(studio), picture =>
      blend(picture, plain(0), (_, y) => (y < bar || y >= 27 - bar ? 1 : 0)),
    );
  },
  'hard cut, one blended frame': studio => {
    const made = threeShots(studio);
    const pictures = [...made.thumbnails];
    const share = between(studio.random, 0.3, 0.65);
    // The blend takes the place of the old shot's last frame.
    for (const cut of made.cuts) pictures[cut - 1] = blend(pictures[cut - 1]!, pictures[cut]!, () => share);
    return { ...made, thumbnails: pictures };
  },
  'hard cut, 24 in 60': studio => {
    const made = threeShots(studio);
    const shown = made.thumbnails.flatMap((picture, i) => Array<Float32Array>(i % 2 ? 3 : 2).fill(picture));
    const cuts = made.cuts.map(cut => Math.floor(cut * 2.5));
    return { thumbnails: shown, cuts, transitions: [], frameRateHz: 60 };
  },
  dissolve: studio =>
    join(studio, pick(studio.random, [11, 12, 24, 40]), (old, fresh, s) => blend(old, fresh, () => s)),
  'fade through black or white': studio => {
    const level = pick(studio.random, [0, 0, 1]);
    const shade = plain(level);
    return join(studio, pick(studio.random, [11, 25, 40, 50]), (old, fresh, s) =>
      s < 0.5 ? blend(old, shade, () => clipped(s * 2.2)) : blend(fresh, shade, () => clipped((1 - s) * 2.2)),
    );
  },
  'wipe, diamond': studio => wipe(studio, (x, y) => (Math.abs(x - 24) / 24 + Math.abs(y - 13) / 13.5) / 2),
  'wipe, zigzag': studio => wipe(studio, (x, y) => clipped((x + Math.abs((y % 8) - 4)) / 52)),
  'wipe, diagonal blinds': studio => wipe(studio, (x, y) => ((x + y) % 9) / 9),
  flash: studio => {
    const at = Math.floor(between(studio.random, 20, 70));
    const length = pick(studio.random, [1, 2, 3, 5]);
    const power = between(studio.random, 0.5, 1);
    return noCut(
      quiet(studio).map((picture, i) =>
        i < at || i >= at + length
          ? picture
          : blend(picture, plain(1), () => power * (1 - (i - at) / (2 * length))),
      ),
    );
  },
  strobe: studio => {
    const period = pick(studio.random, [3, 4, 5, 7]);
    const low = between(studio.random, 0.02, 0.3);
    return noCut(
      quiet(studio).map((picture, i) =>
        i > 30 && i < 80 && i % period < period / 2 ? picture.map(v => v * low) : picture,
      ),
    );
  },
  'exposure jump': studio => {
    const gain = pick(studio.random, [0.4, 0.55, 1.6, 2.2]);
    return noCut(
      quiet(studio).map((picture, i) => (i >= 50 ? picture.map(value => clipped(value * gain)) : picture)),
    );
  },
  'whip pan': studio => {
    const [world, look] = [studio.world(), somewhere(studio.random)];
    const speed = between(studio.random, 0.03, 0.07);
    let x = look.x;
    return noCut(
      each(100, i => {
        const step = i > 40 && i < 56 ? speed * Math.sin(((i - 40) / 16) * Math.PI) : 0;
        x += step;
        const exposures = [0, 0.17, 0.33, 0.5].map(part =>
          photograph(world, { ...look, x: x - part * step }),
        );
        return exposures[0]!.map((_, at) => exposures.reduce((sum, exposure) => sum + exposure[at]! / 4, 0));
      }),
    );
  },
  shake: studio => {
    const [world, look] = [studio.world(), somewhere(studio.random)];
    const size = between(studio.random, 0.01, 0.035);
    const off = () => size * (studio.random() - 0.5) * 2;
    return noCut(
      each(100, () => photograph(world, { x: look.x + off(), y: look.y + off() / 2, span: look.span })),
    );
  },
  'object before the lens': studio => {
    const [speed, half] = [between(studio.random, 2, 7), between(studio.random, 6, 16)];
    const tone = between(studio.random, 0.03, 0.4);
    const inside = (x: number, y: number, i: number) =>
      Math.hypot(x - (i - 40) * speed, (y - 16) / 1.6) < half;
    return noCut(cover(quiet(studio), inside, (x, y) => tone * (1 + 0.3 * Math.sin(x + y))));
  },
  'graphic slides in': studio => {
    const [speed, tone] = [between(studio.random, 1, 6), between(studio.random, 0.4, 1)];
    // A slanted banner over the lower half.
    const inside = (x: number, y: number, i: number) => y > 13 && x + y / 2 < Math.min(58, (i - 30) * speed);
    return noCut(cover(quiet(studio), inside, (x, y) => tone * ((x * 3 + y) % 5 ? 1 : 0.3)));
  },
  'captions and a ticker': studio => {
    const words = (x: number, i: number) => Math.sin((x + i) * 1.7) + Math.sin((x + i) * 0.6) > 0.2;
    const run = quiet(studio).map((picture, i) =>
      picture.map((value, at) => {
        const [x, y] = [Math.floor(at / 3) % 48, Math.floor(at / 144)];
        if (y > 23) return words(x, i * 0.7) ? 0.9 : 0.1;
        const line = Math.floor(i / 23);
        return i > 20 && y > 17 && y < 21 && x > 8 && x < 40 && Math.sin(x * 5 + line * 9 + y * 3) > 0
          ? 0.95
          : value;
      }),
    );
    return noCut(run);
  },
  'burst and rain of things': studio => {
    const things = Array.from(
      { length: 60 },
      () => [studio.random(), studio.random(), studio.random()] as const,
    );
    const near = (x: number, y: number, i: number) =>
      things.some(
        ([a, b, c]) =>
          Math.hypot(x - ((a + 0.01 * i) % 1) * 48, y - ((b + (0.02 + 0.06 * c) * i) % 1) * 27) < 0.7 + c,
      );
    return noCut(
      cover(
        quiet(studio),
        (x, y, i) => i > 30 && i < 75 && near(x, y, i),
        (x, y) => ((x * 7 + y * 3) % 10) / 10,
      ),
    );
  },
  'frames dropped and frozen': studio => {
    const { random } = studio;
    const [world, look] = [studio.world(), somewhere(random)];
    const speed = between(random, 0.002, 0.007);
    let shown = 0;
    return noCut(
      each(100, i => {
        const frozen = (i > 30 && i < 36) || (i > 60 && i < 68) || i % 5 === 4;
        if (!frozen) shown = i;
        return photograph(world, { ...look, x: look.x + speed * shown });
      }),
    );
  },
  'one half of a split screen changes': studio => {
    const [left, right] = [quiet(studio), cutTogether([0, 1, 2].map(() => shootAny(studio, 34))).thumbnails];
    return noCut(each(100, i => blend(left[i]!, right[i]!, x => (x >= 24 ? 1 : 0))));
  },
  'dark noise': studio =>
    noCut(quiet(studio).map(picture => picture.map(value => clipped(0.06 * value + 0.05 * studio.random())))),
};

/** Five shots of eight to twelve frames. */
const each5 = (studio: Studio): Run[] =>
  [0, 1, 2, 3, 4].map(() => shootAny(studio, Math.floor(between(studio.random, 8, 13))));
