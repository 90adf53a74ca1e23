import { describe, expect, test } from 'vitest';
import { iou } from '../../../../src/core/box.js';
import { createReadFolder, type ReadSpan } from '../../../../src/core/content/read-boxes.js';
import { letters, lookSize, looksAt, over, type Paint, plain, scene } from '../../../fixtures/drawn-looks.js';

const spansOf = (paint: Paint, durationSec = 5): readonly ReadSpan[] => {
  const folder = createReadFolder(lookSize);
  for (const look of looksAt(paint, durationSec)) folder.push(look);
  return folder.spans();
};
const captionBox = { x: 90, y: 180, width: 200, height: 12 };
const caption = over(scene, letters(240, 20), captionBox);

describe('what stands still and is to be read', () => {
  test('is found where it is, from when it comes until it goes', () => {
    const spans = spansOf((x, y, t) => (t >= 1 && t < 3.5 ? caption : scene)(x, y, t));
    expect(spans.map(({ kind }) => kind)).toEqual(['text']);
    const [span] = spans;
    expect(iou(span!, { ...captionBox, height: 8 })).toBeGreaterThan(0.6);
    expect(Math.abs(span!.startFrame - 25)).toBeLessThanOrEqual(10);
    expect(Math.abs(span!.endFrame - 87)).toBeLessThanOrEqual(12);
    expect(span!.confidence).toBeGreaterThan(0.6);
  });

  test('holds the plate that it stands on', () => {
    const plate = { x: 40, y: 160, width: 190, height: 36 };
    const lower = over(over(scene, plain(30), plate), letters(230, 30), {
      x: 52,
      y: 168,
      width: 150,
      height: 20,
    });
    const [span] = spansOf(lower);
    expect(iou(span!, plate)).toBeGreaterThan(0.85);
  });

  test('is a screen where many lines stand on one ground, and the screen ends where the ground ends', () => {
    const slide = { x: 0, y: 20, width: 250, height: 170 };
    const lines = over(over(scene, plain(235), slide), letters(30, 235, 24), {
      x: 20,
      y: 44,
      width: 180,
      height: 116,
    });
    const spans = spansOf(lines);
    expect(spans.map(({ kind }) => kind)).toEqual(['screen']);
    expect(iou(spans[0]!, slide)).toBeGreaterThan(0.95);
    expect(spans[0]!.startFrame).toBe(0);
  });
});

describe('nothing is to be read', () => {
  const cases: [string, Paint][] = [
    ['in a scene', scene],
    [
      'in letters that run through the picture',
      (x, y, t) =>
        over(scene, (u, v, w) => letters(240, 20)(Math.round(u + 30 * w), v, w), captionBox)(x, y, t),
    ],
    ['on a still wall of boards', x => 120 + (x % 16 < 2 ? -50 : 0)],
    ['on a still wall with soft spots', (x, y) => 120 + 60 * Math.sin(x / 4) * Math.sin(y / 4)],
    [
      'in letters that are gone after half a second',
      (x, y, t) => (t >= 1 && t < 1.5 ? caption : scene)(x, y, t),
    ],
  ];
  test.each(cases)('%s', (_, paint) => {
    expect(spansOf(paint)).toEqual([]);
  });
});

test('what is to be read goes on from a saved state, to the number', () => {
  const looks = looksAt((x, y, t) => (t >= 1 && t < 4 ? caption : scene)(x, y, t), 5);
  const whole = createReadFolder(lookSize);
  for (const look of looks) whole.push(look);
  for (const middle of [1, 9, 17]) {
    const before = createReadFolder(lookSize);
    for (const look of looks.slice(0, middle)) before.push(look);
    const saved = structuredClone(before.save());
    before.push(looks[middle]!);
    const after = createReadFolder(lookSize, saved);
    for (const look of looks.slice(middle)) after.push(look);
    expect(after.spans()).toEqual(whole.spans());
  }
});
