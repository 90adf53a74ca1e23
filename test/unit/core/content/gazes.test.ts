import { expect, test } from 'vitest';
import { toContent } from '../../../../src/core/content/content.js';
import { createGazeFolder } from '../../../../src/core/content/gazes.js';
import type { Detection } from '../../../../src/core/detection.js';

const source = { width: 1280, height: 720, frameRateHz: 25, totalFrames: 50 };

/** A face 100 pixels wide whose nose lies so many pixels off the middle of eyes that are 40 pixels apart. */
const face = (x: number, nosePx: number): Detection => ({
  ...{ x, y: 200, width: 100, height: 120, confidence: 0.9 },
  landmarks: [
    { x: x + 30, y: 240 },
    { x: x + 70, y: 240 },
    { x: x + 50 + nosePx, y: 265 },
  ],
});

const track = (faceId: number, x: number) => ({
  faceId,
  boxes: Array.from({ length: 50 }, (_, frameNumber) => ({
    ...{ frameNumber, timeSec: frameNumber / 25, x, y: 200, width: 100, height: 120, confidence: 0.9 },
  })),
});

test('noses tell where faces look, each under the id of its track, also after going on from a saved state', () => {
  const first = createGazeFolder();
  first.push({ frameNumber: 0, timeSec: 0 }, [face(200, -10), face(800, 0)]);
  const second = createGazeFolder(JSON.parse(JSON.stringify(first.save())));
  second.push({ frameNumber: 30, timeSec: 1.2 }, [face(800, 20), face(1100, 20)]);
  const evidence = { size: { width: 384, height: 216 }, bars: [], read: [], attention: [], turned: [] };
  const shots = [
    { startFrame: 0, endFrame: 25, startSec: 0, endSec: 1 },
    { startFrame: 25, endFrame: 50, startSec: 1, endSec: 2 },
  ];
  const tracks = [track(0, 200), track(1, 800)];
  const content = toContent({ ...evidence, gazes: second.gazes() }, shots, tracks, source);
  expect(content.shots.map(shot => shot.gazes)).toEqual([
    [
      { face_id: 0, frame_number: 0, timestamp: 0, turn: -0.25 },
      { face_id: 1, frame_number: 0, timestamp: 0, turn: 0 },
    ],
    // A sighting that made no track is nobody's.
    [{ face_id: 1, frame_number: 30, timestamp: 1.2, turn: 0.5 }],
  ]);
});

test('a profile is turned as far as can be, a face without landmarks tells nothing', () => {
  const folder = createGazeFolder();
  const { landmarks, ...plain } = face(0, 0);
  const profile: Detection = {
    ...plain,
    landmarks: [
      { x: 30, y: 40 },
      { x: 34, y: 40 },
      { x: 5, y: 65 },
    ],
  };
  folder.push({ frameNumber: 0, timeSec: 0 }, [plain, profile]);
  expect(landmarks).toHaveLength(3);
  expect(folder.gazes().map(({ turn }) => turn)).toEqual([-1]);
});
