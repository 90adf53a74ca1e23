import { expect, test } from 'vitest';
import {
  averagePrecision,
  judgeDetections,
  type LabelledPicture,
  precisionAt,
  recallAt,
} from '../../../../bench/models/faces/detection-score.js';

const box = (x: number, size = 10) => ({ x, y: 0, width: size, height: size });
const picture = (
  file: string,
  faces: readonly number[],
  ignored: readonly number[] = [],
): LabelledPicture => ({
  file,
  width: 100,
  height: 100,
  source: 'drawn',
  isGold: false,
  faces: faces.map(x => box(x)),
  ignored: ignored.map(x => box(x)),
});
const found = (...list: readonly (readonly [x: number, confidence: number])[]) =>
  list.map(([x, confidence]) => ({ ...box(x), confidence }));
const once = (count: number) => new Uint16Array(count).fill(1);

test('average precision is the area under the envelope of the curve', () => {
  // Right, wrong, right: precision 1, 1/2, 2/3 at recall 1/2, 1/2, 1.
  const set = judgeDetections(
    [picture('a', [0, 40])],
    new Map([['a', found([0, 0.9], [70, 0.8], [40, 0.7])]]),
  );
  expect(averagePrecision(set, once(1))).toBeCloseTo(0.5 * 1 + 0.5 * (2 / 3));
});

test('a face is found once, and by the surest detection', () => {
  const set = judgeDetections([picture('a', [0])], new Map([['a', found([1, 0.6], [0, 0.9])]]));
  expect(averagePrecision(set, once(1))).toBe(1);
  expect(precisionAt(set, once(1), 0.5)).toBe(0.5);
});

test('detections in ignore boxes count neither way, faces that were never seen do', () => {
  const set = judgeDetections([picture('a', [0, 80], [40])], new Map([['a', found([40, 0.9], [0, 0.8])]]));
  expect(precisionAt(set, once(1), 0.5)).toBe(1);
  expect(averagePrecision(set, once(1))).toBeCloseTo(0.5);
});

test('detections end at the edge of the picture, as labels do', () => {
  const edge = { ...picture('a', []), faces: [{ x: 0, y: 0, width: 6, height: 10 }] };
  const set = judgeDetections([edge], new Map([['a', found([-4, 0.9])]]));
  expect(averagePrecision(set, once(1))).toBe(1);
});

test('recall counts faces from a size and a threshold on', () => {
  const pictures = [{ ...picture('a', [0]), faces: [box(0, 50), box(60, 20)] }];
  const detections = [
    { ...box(0, 50), confidence: 0.4 },
    { ...box(85), confidence: 0.9 },
  ];
  const set = judgeDetections(pictures, new Map([['a', detections]]));
  expect(recallAt(set, once(1), { threshold: 0.3, minPx: 48 })).toBe(1);
  expect(recallAt(set, once(1), { threshold: 0.3, minPx: 0 })).toBe(0.5);
  expect(recallAt(set, once(1), { threshold: 0.5, minPx: 48 })).toBe(0);
});

test('weights count a picture as often as they say', () => {
  const set = judgeDetections([picture('a', [0]), picture('b', [0])], new Map([['a', found([0, 0.9])]]));
  expect(averagePrecision(set, [1, 1])).toBeCloseTo(0.5);
  expect(averagePrecision(set, [3, 1])).toBeCloseTo(0.75);
  expect(averagePrecision(set, [2, 0])).toBe(1);
});
