import { expect, test } from 'vitest';
import type { Detection } from '../../../../src/core/detection.js';
import { createFaceLooks, defaultLookOptions } from '../../../../src/core/people/face-looks.js';

const rateHz = 5;
/** A face at a place; `aside` moves its nose, in widths. */
const face = (x: number, { size = 150, aside = 0, confidence = 0.9 } = {}): Detection => ({
  ...{ x, y: 100, width: size, height: 1.2 * size, confidence },
  landmarks: [
    { x: x + 0.3 * size, y: 100 + 0.45 * size },
    { x: x + 0.7 * size, y: 100 + 0.45 * size },
    { x: x + (0.5 + aside) * size, y: 100 + 0.68 * size },
    { x: x + 0.33 * size, y: 100 + 0.88 * size },
    { x: x + 0.67 * size, y: 100 + 0.88 * size },
  ],
});

/** Pushes the faces of each moment, and tells which looks stay for good. */
function watch(moments: readonly (readonly Detection[])[], cuts: readonly number[] = []) {
  const looks = createFaceLooks();
  moments.forEach((faces, i) => {
    looks.push({ frameNumber: i, timeSec: i / rateHz, cut: i === 0 || cuts.includes(i) }, faces);
  });
  looks.finish();
  return looks.takeDone();
}

test('few looks at a long track, from all of its length', () => {
  for (const moments of [10, 100, 3000]) {
    const frames = watch(Array.from({ length: moments }, () => [face(100)]))
      .map(({ frameNumber }) => frameNumber)
      .sort((a, b) => a - b);
    expect(frames.length).toBeGreaterThanOrEqual(3);
    expect(frames.length).toBeLessThanOrEqual(defaultLookOptions.maxLooks);
    expect(frames[0]).toBeLessThan(moments / 4);
    expect(frames.at(-1)).toBeGreaterThan(moments / 2);
  }
});

test('of looks near each other, the frontal and the large one', () => {
  const aside = [face(100, { aside: 0.25 })];
  expect(watch([aside, [face(100)], aside]).map(({ frameNumber }) => frameNumber)).toContain(1);
  const small = [face(100, { size: 60 })];
  expect(watch([small, [face(90, { size: 75 })]]).map(({ frameNumber }) => frameNumber)).toEqual([1]);
});

test('each face has looks of its own, and a cut begins others', () => {
  const both = Array.from({ length: 20 }, () => [face(100), face(600)]);
  const found = watch(both, [12]);
  for (const x of [100, 600])
    for (const inSecond of [false, true]) {
      const own = found.filter(look => look.x === x && look.frameNumber >= 12 === inSecond);
      expect(own.length).toBeGreaterThan(1);
    }
});

test('doubtful faces and faces without landmarks give no look', () => {
  const { landmarks: _, ...bare } = face(100);
  expect(watch([[face(100, { confidence: 0.3 }), bare]])).toEqual([]);
});

test('looks are done when the face has gone for a while, or at the next cut', () => {
  const looks = createFaceLooks();
  looks.push({ frameNumber: 0, timeSec: 0, cut: true }, [face(100)]);
  looks.push({ frameNumber: 3, timeSec: 0.6, cut: false }, []);
  expect(looks.takeDone()).toEqual([]);
  looks.push({ frameNumber: 6, timeSec: 1.2, cut: false }, []);
  expect(looks.takeDone().map(({ frameNumber }) => frameNumber)).toEqual([0]);
  looks.push({ frameNumber: 7, timeSec: 1.4, cut: false }, [face(100)]);
  expect(looks.kept.map(({ frameNumber }) => frameNumber)).toEqual([7]);
  looks.push({ frameNumber: 8, timeSec: 1.6, cut: true }, []);
  expect([looks.takeDone().length, looks.kept.length]).toEqual([1, 0]);
});
