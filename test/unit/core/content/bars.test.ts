import { describe, expect, test } from 'vitest';
import { createBarFolder } from '../../../../src/core/content/bar-runs.js';
import { type Bars, decideBars } from '../../../../src/core/content/decide-bars.js';
import type { Look } from '../../../../src/core/content/look.js';
import { letters, lookSize, looksAt, over, type Paint, plain, scene } from '../../../fixtures/drawn-looks.js';

const durationSec = 4;
const shotOf = (startSec: number, endSec: number) => ({
  ...{ startSec, endSec },
  ...{ startFrame: startSec * 25, endFrame: endSec * 25 },
});
const fold = (looks: readonly Look[]) => {
  const folder = createBarFolder();
  for (const look of looks) folder.push(look);
  return folder.runs();
};
const barsOf = (paint: Paint): Bars =>
  decideBars(fold(looksAt(paint, durationSec)), [shotOf(0, durationSec)], lookSize)[0]!;
const boxOf = ({ picture }: Bars) => [picture.x, picture.y, picture.width, picture.height];

const pillars = { x: 48, y: 0, width: 288, height: 216 };
const letterBox = { x: 0, y: 27.6, width: 384, height: 160.8 };
const dark: Paint = (x, y, timeSec) => 4 + 0.03 * scene(x, y, timeSec);

describe('bars are found to a fraction of a pixel of the look', () => {
  const cases: [string, Bars['kind'], Paint, number[]][] = [
    ['black pillars', 'black', over(plain(2), scene, pillars), [48, 0, 288, 216]],
    ['a black letter box', 'black', over(plain(16), scene, letterBox), [0, 27.6, 384, 160.8]],
    ['white pillars', 'white', over(plain(250), scene, pillars), [48, 0, 288, 216]],
    [
      'bars on all sides',
      'black',
      over(plain(2), scene, { x: 90, y: 50, width: 204, height: 116 }),
      [90, 50, 204, 116],
    ],
    [
      'a bar with a logo and one with a subtitle that begins on the picture',
      'black',
      over(
        over(over(plain(2), scene, letterBox), plain(180), { x: 20, y: 5, width: 40, height: 14 }),
        letters(240, 20),
        { x: 110, y: 180, width: 160, height: 24 },
      ),
      [0, 27.6, 384, 160.8],
    ],
    [
      'a bar at the top only',
      'black',
      over(plain(2), scene, { x: 0, y: 20, width: 384, height: 196 }),
      [0, 20, 384, 196],
    ],
    [
      'a picture that is dark but for a moment',
      'black',
      over(plain(2), (x, y, t) => (t > 2 && t < 2.5 ? scene(x, y, t) : dark(x, y, t)), letterBox),
      [0, 27.6, 384, 160.8],
    ],
  ];
  test.each(cases)('%s', (_, kind, paint, box) => {
    const found = barsOf(paint);
    expect(found.kind).toBe(kind);
    for (const [i, value] of boxOf(found).entries()) expect(Math.abs(value - box[i]!)).toBeLessThan(0.4);
  });

  test('blurred fill at both sides', () => {
    const blurred: Paint = (x, y, t) => 100 + 50 * Math.sin(x / 60 + t) * Math.cos(y / 50 - t);
    const found = barsOf(over(blurred, scene, { x: 131, y: 0, width: 122, height: 216 }));
    expect(found.kind).toBe('blurred');
    expect(Math.abs(found.picture.x - 131)).toBeLessThanOrEqual(2);
    expect(Math.abs(found.picture.x + found.picture.width - 253)).toBeLessThanOrEqual(2);
  });
});

describe('there are no bars', () => {
  const soft: Paint = (x, y, t) => 100 + 50 * Math.sin(x / 60 + t) * Math.cos(y / 50 - t);
  const cases: [string, Paint][] = [
    ['in a scene', scene],
    ['in the dark', dark],
    [
      'where a scene is black at its sides, with a ragged edge',
      (x, y, t) => (x > 60 + 12 * Math.sin(y / 9) && x < 320 + 12 * Math.sin(y / 9) ? scene(x, y, t) : 3),
    ],
    ['where light falls off to black', (x, y, t) => scene(x, y, t) * Math.max(0, 1 - ((x - 192) / 170) ** 2)],
    [
      'on black with letters in the middle',
      over(plain(2), letters(235, 2), { x: 60, y: 80, width: 260, height: 60 }),
    ],
    ['on a white page', over(plain(248), letters(20, 248), { x: 40, y: 30, width: 300, height: 150 })],
    [
      'in a soft background behind a sharp head',
      (x, y, t) => (Math.hypot(x - 192, y - 130) < 90 ? scene(x, y, t) : soft(x, y, t)),
    ],
    [
      'where one side is dark for half of the shot',
      (x, y, t) => ((x < 48 || x >= 336) && t < 2 ? 2 : scene(x, y, t)),
    ],
    ['on a black wall beside a bright one', (x, y, t) => (x < 100 && y > 90 ? 3 : scene(x, y, t))],
  ];
  test.each(cases)('%s', (_, paint) => {
    expect(barsOf(paint)).toEqual({ kind: 'none', picture: { x: 0, y: 0, ...lookSize } });
  });
});

test('a shot that is too dark to show them has the bars of the others; a shot that fills the picture has none', () => {
  const bright = over(plain(2), scene, letterBox);
  const paint: Paint = (x, y, t) =>
    t < 4 ? bright(x, y, t) : t < 8 ? over(plain(2), dark, letterBox)(x, y, t) : scene(x, y, t);
  const shots = [shotOf(0, 4), shotOf(4, 8), shotOf(8, 12)];
  const found = decideBars(fold(looksAt(paint, 12, { cutsSec: [4, 8] })), shots, lookSize);
  expect(found.map(({ kind }) => kind)).toEqual(['black', 'black', 'none']);
  expect(boxOf(found[1]!)).toEqual(boxOf(found[0]!));
});

test('what was seen goes on from a saved state', () => {
  const looks = looksAt(over(plain(2), scene, pillars), 6, { cutsSec: [3] });
  const before = createBarFolder();
  for (const look of looks.slice(0, 13)) before.push(look);
  const after = createBarFolder(JSON.parse(JSON.stringify(before.save())));
  for (const look of looks.slice(13)) after.push(look);
  expect(after.runs()).toEqual(fold(looks));
});
