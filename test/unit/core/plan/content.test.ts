import { parse } from 'valibot';
import { describe, expect, test } from 'vitest';
import { contentOfShot } from '../../../../src/core/plan/content.js';
import { type Content, contentSchema } from '../../../../src/schema/content.js';

const source = { width: 640, height: 360 };
const box = (frame_number: number, x: number, confidence = 0.8) => ({
  ...{ frame_number, timestamp: frame_number / 25, confidence },
  ...{ x, y: 20, width: 50, height: 60 },
});
const content: Content = parse(contentSchema, {
  ...{ model: 'content', video_fps: 25, total_frames: 200, ...source },
  shots: [
    {
      ...{ scene_id: 0, start_frame: 0, end_frame: 100, bars: 'black' },
      picture: { x: 80, y: 0, width: 480, height: 360 },
      rectangles: [
        {
          x: 100,
          y: 300,
          width: 200,
          height: 30,
          kind: 'text',
          start_frame: 10,
          end_frame: 50,
          confidence: 0.9,
        },
      ],
      motion: [box(10, 100), box(20, 200, 0.4), box(80, 300)],
      turned: [{ face_id: 3, boxes: [box(40, 100), box(45, 110)] }],
    },
    {
      ...{ scene_id: 1, start_frame: 100, end_frame: 200, bars: 'none' },
      picture: { x: 0, y: 0, ...source },
      ...{ rectangles: [], motion: [], turned: [] },
    },
  ],
});

describe('the content of a shot', () => {
  const first = contentOfShot(content, source, { startFrame: 0, endFrame: 100 });

  test('has its picture and bars, also where another found the shot a frame later', () => {
    expect(first.picture).toEqual({ x: 80, y: 0, width: 480, height: 360 });
    expect(first.bars).toBe('black');
    const late = contentOfShot(content, source, { startFrame: 101, endFrame: 200 });
    expect([late.bars, late.picture.width]).toEqual(['none', 640]);
  });

  test('has rectangles from their first frame to before their end', () => {
    expect([9, 10, 49, 50].map(frame => first.rectanglesAt(frame).length)).toEqual([0, 1, 1, 0]);
  });

  test('follows motion between points, holds a point for a while, and then knows of nothing', () => {
    expect(first.motionAt(15)).toEqual({ x: 150, y: 20, width: 50, height: 60, confidence: (0.8 + 0.4) / 2 });
    expect(first.motionAt(0)?.x).toBe(100);
    expect(first.motionAt(30)?.x).toBe(200);
    expect(first.motionAt(50)).toBe(undefined);
    expect(first.motionAt(70)?.x).toBe(300);
  });

  test('has a turned head only after the face was lost, and of that face only', () => {
    expect(first.turnedAt(3, 42)?.x).toBeCloseTo(104);
    expect(first.turnedAt(3, 39)).toBe(undefined);
    expect(first.turnedAt(3, 50)?.x).toBe(110);
    expect(first.turnedAt(3, 60)).toBe(undefined);
    expect(first.turnedAt(2, 42)).toBe(undefined);
  });
});

test('without the part, the picture is whole and empty', () => {
  for (const known of [undefined, { ...content, shots: [] }]) {
    const shot = contentOfShot(known, source, { startFrame: 0, endFrame: 10 });
    expect(shot.picture).toEqual({ x: 0, y: 0, ...source });
    expect([shot.bars, shot.rectanglesAt(3), shot.motionAt(3), shot.turnedAt(0, 3)]).toEqual([
      'none',
      [],
      undefined,
      undefined,
    ]);
  }
});
