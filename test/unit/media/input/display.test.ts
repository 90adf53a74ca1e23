import { expect, test } from 'vitest';
import { displayOf } from '../../../../src/media/input/display.js';
import { createPace } from '../../../../src/media/output/pace.js';

test.for([
  [{ width: 1920, height: 1080 }, { num: 1, den: 1 }, -90, { width: 1080, height: 1920, rotationDeg: 270 }],
  [{ width: 1920, height: 1080 }, { num: 1, den: 1 }, 450, { width: 1080, height: 1920, rotationDeg: 90 }],
  [{ width: 640, height: 360 }, { num: 2, den: 1 }, 0, { width: 1280, height: 360, rotationDeg: 0 }],
  [{ width: 704, height: 576 }, { num: 1, den: 2 }, 90, { width: 1152, height: 704, rotationDeg: 90 }],
  [{ width: 640, height: 352 }, { num: 0, den: 1 }, 0, { width: 640, height: 352, rotationDeg: 0 }],
] as const)(
  'the displayed picture has pixel aspect first, rotation after: %o %o %s',
  ([coded, aspect, turn, shown]) => {
    expect(displayOf(coded, aspect, turn)).toEqual(shown);
  },
);

test('a track that is ahead waits for the other', async () => {
  const pace = createPace(2);
  const passed: number[] = [];
  const walk = (async () => {
    for (const timeSec of [1, 2, 3, 4, 5]) {
      await pace.reach(timeSec);
      passed.push(timeSec);
    }
  })();
  await new Promise<void>(resolve => queueMicrotask(() => queueMicrotask(() => queueMicrotask(resolve))));
  expect(passed).toEqual([1, 2]);
  pace.advance(1.5);
  pace.advance(Number.POSITIVE_INFINITY);
  await walk;
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});
