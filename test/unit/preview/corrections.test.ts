import { describe, expect, test } from 'vitest';
import { type Correction, faceAt, facesAt, toOverrides, toSubjects } from '../../../src/preview/index.js';
import { analyse, faceId } from '../core/plan/invented-scene.js';

const left = { x: 400, y: 400 };
const right = { x: 1500, y: 420 };
/** Two people, cuts at 4 and 7 s; between the cuts only a third one, in the middle. */
const parts = analyse({
  durationSec: 10,
  cuts: [4, 7],
  people: [
    {
      at: left,
      seen: [
        [0, 4],
        [7, 10],
      ],
      speaks: [[0, 2]],
    },
    {
      at: right,
      seen: [
        [0, 4],
        [7, 10],
      ],
    },
    { at: { x: 960, y: 400 }, seen: [[4, 7]] },
  ],
});
const boxAt = ({ x, y }: { x: number; y: number }) => ({ x: x - 90, y: y - 130, width: 180, height: 250 });

describe('faces', () => {
  test('are those of the frame, with who speaks', () => {
    expect(facesAt(parts, 1).map(({ faceId: id, speaking }) => [id, speaking])).toEqual([
      [0, true],
      [1, false],
    ]);
    expect(facesAt(parts, 5).map(face => face.faceId)).toEqual([faceId(2, 1)]);
    expect(facesAt({}, 1)).toEqual([]);
  });

  test('of the scene before are gone with its last frame', () => {
    // Players round times: a seek to a cut arrives a little behind it.
    expect(facesAt(parts, 4.001).map(face => face.faceId)).toEqual([faceId(2, 1)]);
    expect(facesAt(parts, 3.99).map(face => face.faceId)).toEqual([0, 1]);
  });

  test('are found under a point', () => {
    expect(faceAt(parts, 1, right)?.faceId).toBe(1);
    expect(faceAt(parts, 1, { x: 960, y: 400 })).toBeUndefined();
  });
});

describe('corrections become overrides', () => {
  const overrides = (...corrections: Correction[]) => toOverrides(corrections, parts);

  test('following a face holds for its scene', () => {
    expect(overrides({ kind: 'follow', timeSec: 1, box: boxAt(right), scope: 'scene' })).toEqual([
      { startSec: 0, endSec: 4, faceId: 1 },
    ]);
  });

  test('following it everywhere holds where a face is in the same place', () => {
    expect(overrides({ kind: 'follow', timeSec: 1, box: boxAt(right), scope: 'everywhere' })).toEqual([
      { startSec: 0, endSec: 4, faceId: 1 },
      { startSec: 7, endSec: 10, faceId: faceId(1, 2) },
    ]);
  });

  test('a face that another analysis did not find changes nothing', () => {
    const box = boxAt({ x: 960, y: 900 });
    expect(overrides({ kind: 'follow', timeSec: 1, box, scope: 'scene' })).toEqual([]);
  });

  test('windows of a scene are keyframes: each leads to the next, the last stays', () => {
    const box = (x: number) => ({ x, y: 0, width: 400, height: 700 });
    expect(
      overrides(
        { kind: 'window', timeSec: 3, box: box(300) },
        { kind: 'window', timeSec: 1, box: box(100) },
        { kind: 'window', timeSec: 8, box: box(0) },
        { kind: 'window', timeSec: 3.01, box: box(500) },
      ),
    ).toEqual([
      { startSec: 8, endSec: 10, box: box(0) },
      { startSec: 1, endSec: 3.01, box: box(100), endBox: box(500) },
      { startSec: 3.01, endSec: 4, box: box(500) },
    ]);
  });

  test('a window right after a cut is meant from the cut on', () => {
    const box = { x: 100, y: 0, width: 400, height: 700 };
    expect(overrides({ kind: 'window', timeSec: 4.3, box })).toEqual([{ startSec: 4, endSec: 7, box }]);
  });

  test('a layout holds for its scene, and the later correction comes later', () => {
    expect(
      overrides(
        { kind: 'layout', timeSec: 5, layout: 'fit' },
        { kind: 'follow', timeSec: 5, box: boxAt({ x: 960, y: 400 }), scope: 'scene' },
      ),
    ).toEqual([
      { startSec: 4, endSec: 7, layout: 'fit' },
      { startSec: 4, endSec: 7, faceId: faceId(2, 1) },
    ]);
  });

  test('a layout takes the faces that are meant along, those that are there', () => {
    const boxes = [boxAt({ x: 960, y: 400 }), { x: 0, y: 0, width: 20, height: 20 }];
    expect(overrides({ kind: 'layout', timeSec: 5, layout: 'stack', boxes })).toEqual([
      { startSec: 4, endSec: 7, layout: 'stack', faceIds: [faceId(2, 1)] },
    ]);
  });

  test('without scenes the source is one', () => {
    const { face_tracking_yolov8 } = parts;
    expect(toOverrides([{ kind: 'layout', timeSec: 9, layout: 'fit' }], { face_tracking_yolov8 })).toEqual([
      { startSec: 0, endSec: 10, layout: 'fit' },
    ]);
    expect(toOverrides([{ kind: 'layout', timeSec: 9, layout: 'fit' }], {})).toEqual([]);
  });
});

describe('roles', () => {
  test('hold for whoever is in the same place in other scenes, and the later one wins', () => {
    const host = { timeSec: 1, box: boxAt(left), role: 'host' as const };
    expect(toSubjects([host], parts)).toEqual([
      { personId: faceId(0), role: 'host' },
      { personId: faceId(0, 2), role: 'host' },
    ]);
    const never = { timeSec: 8, box: boxAt(left), role: 'ignore' as const };
    expect(toSubjects([host, never], parts).map(({ role }) => role)).toEqual(['ignore', 'ignore']);
  });

  test('go by person where the analysis knows persons, and are nobody’s where no face was found', () => {
    const people = [{ at: left, personId: 7 }, { at: right }];
    const known = analyse({ durationSec: 4, cuts: [2], people });
    const casting = { timeSec: 1, box: boxAt(left), role: 'ignore' as const };
    expect(toSubjects([casting], known)).toEqual([{ personId: 7, role: 'ignore' }]);
    expect(toSubjects([{ ...casting, timeSec: 5 }], parts)).toEqual([]);
  });
});
