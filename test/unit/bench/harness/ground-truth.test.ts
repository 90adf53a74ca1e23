import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGroundTruth } from '../../../../bench/harness/ground-truth.js';

function read(json: unknown, clip?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'truth-'));
  try {
    writeFileSync(join(folder, 'truth.json'), JSON.stringify(json));
    return readGroundTruth(join(folder, 'truth.json'), clip);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('annotations: tracks become steps, turned heads are not judged, single soft cuts are widened', () => {
  const clip = {
    r_frame_rate: '30000/1001',
    duration: 4,
    cuts_first_frame: [30],
    soft_cuts: [60, [80, 90]],
    speech: [{ id: 'a', start: 1, end: 2, on_screen: false }],
    faces: [
      {
        id: 'a',
        start: 0,
        end: 4,
        box_xywh: [0, 0, 1, 1],
        track: [
          [0, 10, 20, 30, 40],
          [2, 50, 20, 30, 40],
        ],
      },
      { id: 'b', start: 1, end: 3, box_xywh: [1, 2, 3, 4], pose: 'profile/back' },
    ],
  };
  const truth = read({ clips: { 'x.mp4': clip } }, 'x.mp4');
  expect(truth.frameRateHz).toBeCloseTo(29.97, 2);
  expect(truth.softCuts).toEqual([
    [48, 72],
    [80, 90],
  ]);
  expect(truth.speech[0]!.onScreen).toBe(false);
  expect(truth.faces).toEqual([
    { id: 'a', startSec: 0, endSec: 2, box: [10, 20, 30, 40], partial: false },
    { id: 'a', startSec: 2, endSec: 4, box: [50, 20, 30, 40], partial: false },
    { id: 'b', startSec: 1, endSec: 3, box: [1, 2, 3, 4], partial: true },
  ]);
});

test('composites: faces belong to shots, times are exact', () => {
  const truth = read({
    fps: 25,
    duration: 4,
    width: 1920,
    height: 1080,
    cuts: [{ t: 2, frame: 50 }],
    speech: [{ id: 'a', start: 1, end: 2 }],
    shots: [{ start: 0, end: 2, faces: [{ id: 'a', box_median: [1, 2, 3, 4] }] }],
  });
  expect(truth).toMatchObject({ cuts: [50], confidence: 'exact', durationSec: 4 });
  expect(truth.speech[0]!.onScreen).toBe(true);
  expect(truth.faces).toEqual([{ id: 'a', startSec: 0, endSec: 2, box: [1, 2, 3, 4], partial: false }]);
});

test('an unknown clip is refused by name', () => {
  expect(() => read({ clips: {} }, 'y.mp4')).toThrow(/y\.mp4/);
});
