import { describe, expect, test } from 'vitest';
import type { Detection } from '../../../src/core/detection.js';
import {
  createTrackAnalyser,
  type FaceTrack,
  type TrackBox,
  type TrackSample,
} from '../../../src/core/tracks.js';
import { analyserContract } from '../../contract/analyser-contract.js';

type Face = { readonly x: number; readonly confidence?: number; readonly size?: number };
/** Where faces are in a frame; an invented video of 25 frames per second. */
type Video = {
  readonly frames: number;
  readonly faces: (frame: number) => readonly Face[];
  readonly cuts?: readonly number[];
};

const toDetection = ({ x, confidence = 0.8, size = 40 }: Face): Detection => ({
  x,
  y: 100,
  width: size,
  height: size,
  confidence,
});

/** Faces are looked for on every fifth frame and on the first of each shot. */
const samplesOf = ({ frames, faces, cuts = [] }: Video): TrackSample[] =>
  Array.from({ length: frames }, (_, frame) => ({
    frameNumber: frame,
    timeSec: frame / 25,
    cut: cuts.includes(frame),
    ...((frame % 5 === 0 || cuts.includes(frame)) && { detections: faces(frame).map(toDetection) }),
  }));

function follow(video: Video): readonly FaceTrack[] {
  const analyser = createTrackAnalyser();
  for (const sample of samplesOf(video)) analyser.push(sample);
  return analyser.finish();
}

const framesOf = ({ boxes }: FaceTrack) => boxes.map(({ frameNumber }) => frameNumber);
const range = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);
const between = (frame: number, start: number, end: number) => frame >= start && frame < end;

describe('boxes', () => {
  test('are linear between sightings, one per frame with its time', () => {
    const [track] = follow({ frames: 21, faces: frame => [{ x: 2 * frame ** 1.2 }] });
    expect(framesOf(track!)).toEqual(range(0, 21));
    const { boxes } = track!;
    expect(boxes[7]!.x).toBeCloseTo(boxes[5]!.x + 0.4 * (boxes[10]!.x - boxes[5]!.x));
    expect(boxes[7]!.timeSec).toBe(7 / 25);
  });

  test('follow the clock where frames are not evenly spaced', () => {
    const analyser = createTrackAnalyser();
    const times = [0, 0.04, 0.08, 0.2];
    times.forEach((timeSec, frameNumber) => {
      const detections = frameNumber % 3 === 0 ? [toDetection({ x: timeSec * 100 })] : undefined;
      analyser.push({ frameNumber, timeSec, cut: false, ...(detections && { detections }) });
    });
    expect(analyser.finish()[0]!.boxes.map(({ x }) => x)).toEqual([
      0,
      expect.closeTo(4),
      expect.closeTo(8),
      20,
    ]);
  });

  test('are held from the sample before the first sighting to the sample after the last', () => {
    const [track] = follow({ frames: 60, faces: frame => (between(frame, 18, 33) ? [{ x: 50 }] : []) });
    expect(framesOf(track!)).toEqual(range(16, 35));
  });

  test('end with the video', () => {
    expect(framesOf(follow({ frames: 14, faces: () => [{ x: 0 }] })[0]!)).toEqual(range(0, 14));
  });
});

describe('tracks', () => {
  test('two faces that pass each other keep their ids', () => {
    const tracks = follow({
      frames: 60,
      faces: frame => [{ x: frame * 6 }, { x: 360 - frame * 6, size: 52 }],
    });
    expect(tracks).toHaveLength(2);
    for (const { boxes } of tracks) expect(new Set(boxes.map(({ width }) => width)).size).toBe(1);
  });

  test('a fast face is followed by its motion', () => {
    // 60 pixels between samples, one and a half face sizes: too far without prediction.
    const walk = (frame: number) => (frame < 30 ? frame * 4 : 120 + (frame - 30) * 10) * 1.2;
    expect(follow({ frames: 60, faces: frame => [{ x: walk(frame) }] })).toHaveLength(1);
  });

  test('a gap of half a second is bridged', () => {
    const [track, ...others] = follow({
      frames: 60,
      faces: frame => (between(frame, 21, 30) ? [] : [{ x: frame }]),
    });
    expect(others).toEqual([]);
    expect(framesOf(track!)).toEqual(range(0, 60));
    expect(track!.boxes[24]!.x).toBeCloseTo(24);
  });

  test('a face found again after a longer gap keeps its id and leaves a hole', () => {
    const tracks = follow({ frames: 100, faces: frame => (between(frame, 21, 60) ? [] : [{ x: 50 }]) });
    expect(tracks).toHaveLength(1);
    expect(framesOf(tracks[0]!)).toEqual([...range(0, 25), ...range(56, 100)]);
  });

  test('a face after more than two seconds, or elsewhere, is another', () => {
    const late = follow({ frames: 140, faces: frame => (between(frame, 21, 80) ? [] : [{ x: 50 }]) });
    expect(late.map(framesOf)).toEqual([range(0, 25), range(76, 140)]);
    const away = follow({
      frames: 100,
      faces: frame => (frame < 30 ? [{ x: 50 }] : frame > 50 ? [{ x: 150 }] : []),
    });
    expect(away).toHaveLength(2);
  });

  test('an unsure sighting continues a track and starts none', () => {
    const unsure = follow({ frames: 60, faces: frame => [{ x: 50, confidence: frame < 20 ? 0.8 : 0.3 }] });
    expect(unsure.map(framesOf)).toEqual([range(0, 60)]);
    expect(follow({ frames: 60, faces: () => [{ x: 50, confidence: 0.4 }] })).toEqual([]);
  });

  test('none crosses a cut, and both sides reach it', () => {
    const tracks = follow({ frames: 60, cuts: [28], faces: frame => [{ x: frame < 28 ? 50 : 52 }] });
    expect(tracks.map(framesOf)).toEqual([range(0, 28), range(28, 60)]);
    expect(new Set(tracks.map(({ boxes }) => new Set(boxes.map(({ x }) => x)).size))).toEqual(new Set([1]));
  });
});

describe('settled boxes', () => {
  const video: Video = {
    frames: 200,
    cuts: [83, 140],
    faces: frame => [
      { x: frame * 2 },
      ...(between(frame, 30, 48) || between(frame, 100, 122) ? [] : [{ x: 600 + (frame % 3) }]),
    ],
  };

  test('are those of the part, each once, in order, and never older than announced', () => {
    const analyser = createTrackAnalyser();
    const given = new Map<number, TrackBox[]>();
    let keptFrom = 0;
    const take = () => {
      for (const { trackId, boxes } of analyser.settled()) {
        expect(boxes[0]!.frameNumber).toBeGreaterThanOrEqual(keptFrom);
        given.set(trackId, [...(given.get(trackId) ?? []), ...boxes]);
      }
    };
    for (const sample of samplesOf(video)) {
      analyser.push(sample);
      take();
      expect(analyser.settledUntilFrame).toBeGreaterThanOrEqual(keptFrom);
      keptFrom = analyser.settledUntilFrame;
      // A stride of 0.2 s and a gap of 0.65 s: a second of pictures is always enough.
      expect(sample.frameNumber - keptFrom).toBeLessThan(0.85 * 25);
    }
    const part = analyser.finish();
    take();
    expect(part.map(({ faceId, boxes }) => [faceId, boxes])).toEqual([...given].sort(([a], [b]) => a - b));
    expect(analyser.settled()).toEqual([]);
    expect(analyser.settledUntilFrame).toBe(200);
  });

  test('come at once after a sighting', () => {
    const analyser = createTrackAnalyser();
    for (const sample of samplesOf({ frames: 6, faces: () => [{ x: 0 }] })) analyser.push(sample);
    expect(analyser.settled().map(({ boxes }) => boxes.length)).toEqual([6]);
    expect(analyser.settledUntilFrame).toBe(6);
  });
});

test('frames must follow one another', () => {
  const analyser = createTrackAnalyser();
  analyser.push({ frameNumber: 10, timeSec: 0.4, cut: false });
  expect(() => analyser.push({ frameNumber: 12, timeSec: 0.48, cut: false })).toThrow(RangeError);
});

analyserContract('createTrackAnalyser', {
  create: createTrackAnalyser,
  samples: samplesOf({
    frames: 120,
    cuts: [70],
    faces: frame => [{ x: frame * 3 }, ...(between(frame, 20, 45) ? [] : [{ x: 500 }])],
  }),
});

test('what is told so far is a beginning of what is told at the end', () => {
  const video: Video = { frames: 60, faces: frame => [{ x: frame }, { x: 300 - frame }], cuts: [30] };
  const analyser = createTrackAnalyser();
  const told = samplesOf(video).map(sample => {
    analyser.push(sample);
    return analyser.soFar();
  });
  const final = analyser.finish();
  for (const [frame, tracks] of told.entries())
    for (const { faceId, boxes } of tracks) {
      expect(boxes).toEqual(final.find(track => track.faceId === faceId)!.boxes.slice(0, boxes.length));
      expect(boxes.at(-1)?.frameNumber ?? 0).toBeLessThanOrEqual(frame);
    }
  expect(told[29]!.flatMap(({ boxes }) => boxes).length).toBeGreaterThanOrEqual(50);
});
