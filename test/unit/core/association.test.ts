import { describe, expect, test } from 'vitest';
import { associate, type Candidate, defaultAssociationOptions } from '../../../src/core/association.js';
import type { Detection } from '../../../src/core/detection.js';

const face = (x: number, confidence = 0.8, size = 40): Detection => ({
  x,
  y: 100,
  width: size,
  height: size,
  confidence,
});
const track = (x: number, isFresh = true): Candidate => ({
  predicted: { x, y: 100, width: 40, height: 40 },
  isFresh,
});
const run = (candidates: Candidate[], detections: Detection[]) => {
  const { matches, free } = associate(candidates, detections, defaultAssociationOptions);
  return { taken: candidates.map((_, i) => matches.get(i)?.x), free: free.map(({ x }) => x) };
};

describe('associate', () => {
  test('gives each track the nearest face and leaves the rest', () => {
    expect(run([track(0), track(100)], [face(104), face(3), face(300)])).toEqual({
      taken: [3, 104],
      free: [300],
    });
  });

  test('lets a fresh track reach further than a lost one', () => {
    expect(run([track(0)], [face(44)]).taken).toEqual([44]);
    expect(run([track(0, false)], [face(44)]).taken).toEqual([undefined]);
    expect(run([track(0, false)], [face(15)]).taken).toEqual([15]);
  });

  test('lets fresh tracks choose before lost ones', () => {
    expect(run([track(10, false), track(0)], [face(12)])).toEqual({ taken: [undefined, 12], free: [] });
  });

  test('continues a fresh track with an unsure face, but neither starts nor wakes one with it', () => {
    expect(run([track(0)], [face(3, 0.25)])).toEqual({ taken: [3], free: [] });
    expect(run([track(0, false)], [face(3, 0.25)])).toEqual({ taken: [undefined], free: [] });
    expect(run([], [face(3, 0.25)])).toEqual({ taken: [], free: [] });
  });

  test('prefers a sure face further off to an unsure one nearby', () => {
    expect(run([track(0)], [face(2, 0.3), face(20)]).taken).toEqual([20]);
  });

  test('ignores faces below both thresholds and of another size', () => {
    expect(run([track(0)], [face(0, 0.15)]).taken).toEqual([undefined]);
    expect(run([track(0)], [face(-20, 0.8, 85)]).taken).toEqual([undefined]);
  });
});
