import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { motionRatioOf, splitAtShots, toFaceTracking } from '../../../src/core/face-tracking.js';
import type { Shot } from '../../../src/core/shot-boundaries.js';
import type { FaceTrack, TrackBox } from '../../../src/core/tracks.js';
import { faceTrackingSchema } from '../../../src/schema/result.js';

const shot = (startFrame: number, endFrame: number): Shot => ({
  startFrame,
  endFrame,
  startSec: startFrame / 25,
  endSec: endFrame / 25,
});
const track = (faceId: number, [start, end]: [number, number], place: Partial<TrackBox> = {}): FaceTrack => ({
  faceId,
  boxes: Array.from({ length: end - start }, (_, i) => ({
    frameNumber: start + i,
    timeSec: (start + i) / 25,
    x: 100,
    y: 50,
    width: 40,
    height: 50,
    confidence: 0.8,
    ...place,
  })),
});
const summary = (tracks: readonly FaceTrack[], shots: readonly Shot[]) =>
  splitAtShots(tracks, shots).map(({ faceId, boxes, sources }) => ({
    faceId,
    frames: [boxes[0]!.frameNumber, boxes.at(-1)!.frameNumber + 1],
    sources: sources.map(source => [source.trackId, source.startFrame, source.endFrame]),
  }));

describe('splitAtShots', () => {
  test('splits a track at a boundary that was found later, and says where the parts came from', () => {
    expect(summary([track(7, [10, 90])], [shot(0, 50), shot(50, 100)])).toEqual([
      { faceId: 0, frames: [10, 50], sources: [[7, 10, 50]] },
      { faceId: 1, frames: [50, 90], sources: [[7, 50, 90]] },
    ]);
  });

  test('joins again what a flash had separated, but not faces at other places', () => {
    const shots = [shot(0, 100)];
    expect(summary([track(0, [0, 40]), track(1, [40, 100])], shots)).toEqual([
      {
        faceId: 0,
        frames: [0, 100],
        sources: [
          [0, 0, 40],
          [1, 40, 100],
        ],
      },
    ]);
    expect(summary([track(0, [0, 40]), track(1, [40, 100], { x: 200 })], shots)).toHaveLength(2);
    expect(summary([track(0, [0, 40]), track(1, [60, 100])], shots)).toHaveLength(2);
  });

  test('numbers faces from 0 in order of first appearance', () => {
    const found = summary(
      [track(3, [60, 100]), track(5, [0, 40]), track(9, [20, 80], { x: 300 })],
      [shot(0, 100)],
    );
    expect(found.map(({ faceId, sources }) => [faceId, sources[0]![0]])).toEqual([
      [0, 5],
      [1, 9],
      [2, 3],
    ]);
  });

  test('drops short and doubtful tracks, but not in a short shot', () => {
    expect(summary([track(0, [20, 29])], [shot(0, 100)])).toEqual([]);
    expect(summary([track(0, [0, 100], { confidence: 0.47 })], [shot(0, 100)])).toEqual([]);
    expect(summary([track(0, [0, 9])], [shot(0, 10)])).toHaveLength(1);
  });

  test('gives nothing for nothing', () => {
    expect(splitAtShots([], [shot(0, 10)])).toEqual([]);
  });
});

describe('motionRatioOf', () => {
  test('is the way within 0.2 s in face sizes, whatever the size', () => {
    for (const size of [10, 100]) {
      const boxes = track(0, [0, 50]).boxes.map((box, i) => ({
        ...box,
        x: i * 0.01 * size,
        width: size,
        height: size,
      }));
      expect(motionRatioOf(boxes)).toBeCloseTo(0.05);
    }
  });

  test('is 0 for a photo and for a single box', () => {
    expect(motionRatioOf(track(0, [0, 50]).boxes)).toBe(0);
    expect(motionRatioOf(track(0, [0, 1]).boxes)).toBe(0);
    expect(motionRatioOf([])).toBe(0);
  });
});

test('toFaceTracking writes what the schema asks for', () => {
  const source = { frameRateHz: 25, totalFrames: 100, width: 640, height: 360 };
  const part = toFaceTracking(splitAtShots([track(4, [10, 40])], [shot(0, 100)]), source, {
    model: 'yolov8n-face',
  });
  expect(v.parse(faceTrackingSchema, part)).toEqual(part);
  expect(part).toMatchObject({
    model: 'yolov8n-face',
    video_fps: 25,
    total_frames: 100,
    width: 640,
    track_count: 1,
  });
  expect(part.tracks[0]).toMatchObject({ face_id: 0, first_seen: 0.4, last_seen: 1.56 });
  expect(part.tracks[0]!.boxes[0]).toEqual({
    timestamp: 0.4,
    frame_number: 10,
    x: 100,
    y: 50,
    width: 40,
    height: 50,
    confidence: 0.8,
  });
});
