import { expect, test } from 'vitest';
import { countPairs, judgeBoxes, judgeShots } from '../../../../bench/identities/judge-people.js';
import type { FaceTracking } from '../../../../src/schema/result.js';

/** A face from one frame to another, 25 a second. */
const track = (face_id: number, from: number, to: number, { x = 0, size = 40, person = -1 } = {}) => ({
  face_id,
  ...(person >= 0 && { person_id: person }),
  first_seen: from / 25,
  last_seen: (to - 1) / 25,
  boxes: Array.from({ length: to - from }, (_, i) => ({
    ...{ timestamp: (from + i) / 25, frame_number: from + i, confidence: 1 },
    ...{ x, y: 0, width: size, height: size },
  })),
});
const faces = (tracks: FaceTracking['tracks']): FaceTracking => ({
  ...{ model: 'm', video_fps: 25, total_frames: 100, width: 640, height: 360 },
  ...{ track_count: tracks.length, tracks },
});

test('pairs are counted that are one person, that were joined, and both', () => {
  const judged = [
    { track: track(0, 0, 1, { person: 0 }), person: 'ann' },
    { track: track(1, 0, 1, { person: 0 }), person: 'ann' },
    { track: track(2, 0, 1, { person: 0 }), person: 'bob' },
    { track: track(3, 0, 1), person: 'bob' },
    { track: track(4, 0, 1), person: 'bob' },
  ];
  // Ann's two; bob's three; faces without a number are joined with none.
  expect(countPairs(judged)).toEqual({ same: 4, joined: 3, right: 1 });
});

test('the largest face of a shot is the person that the shot shows', () => {
  const found = faces([track(0, 0, 25), track(1, 5, 25, { size: 80 }), track(2, 25, 50)]);
  const shots = ['ann', 'bob'].map((person, i) => ({ person, startSec: i, endSec: i + 1 }));
  expect(judgeShots(found, shots).map(({ track: { face_id }, person }) => [face_id, person])).toEqual([
    [1, 'ann'],
    [2, 'bob'],
  ]);
});

test('a face is who is annotated where it is most of the time, and else nobody', () => {
  const truth = [
    { id: 'ann', startSec: 0, endSec: 2, box: [0, 0, 30, 30] as const, partial: false },
    { id: 'bob', startSec: 1, endSec: 3, box: [300, 0, 30, 30] as const, partial: false },
  ];
  const found = faces([track(0, 0, 40), track(1, 40, 60, { x: 300 }), track(2, 0, 40, { x: 300 })]);
  expect(judgeBoxes(found, truth).map(({ track: { face_id }, person }) => [face_id, person])).toEqual([
    [0, 'ann'],
    [1, 'bob'],
  ]);
});
