import type { Detection } from '../../../core/detection.js';
import { createTrackAnalyser, type TrackBox } from '../../../core/tracks.js';
import type { FaceDetector } from '../../../inference/face-detector.js';
import type { Size } from '../../../schema/geometry.js';
import type { FaceTracking } from '../../../schema/result.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';
import { toFaces } from './known-faces.js';

/** Follows faces while frames go by, or knows them. */
export interface FacesPass extends AnalysisPass<readonly Detection[]> {
  /** Boxes that became final since the last call, in order. */
  takeSettled(): readonly { readonly trackId: number; readonly boxes: readonly TrackBox[] }[];
  /** Boxes are final before this frame. */
  readonly settledUntilFrame: number;
  /** What was found in the frame that was taken last; absent where nobody looked. */
  readonly detections: readonly Detection[] | undefined;
}

/**
 * Faces are looked for this often, and on the first frame of each shot: between two looks a track is
 * interpolated, which a face that turns or nods does not outrun.
 */
export const detectionStepSec = 0.2;

export type FacesPassOptions = {
  readonly detector: FaceDetector;
  readonly display: Size;
  /** Pixels along the longer side of the detector's input. */
  readonly longSide?: number;
  readonly stopwatch: Stopwatch;
};

/** @param saved - State of another pass; the new pass goes on from there. */
export function createFacesPass(
  { detector, display, longSide, stopwatch }: FacesPassOptions,
  saved?: unknown,
): FacesPass {
  const tracks = createTrackAnalyser();
  if (saved) tracks.load(saved as ReturnType<typeof tracks.save>);
  let detections: readonly Detection[] | undefined;
  return {
    name: 'faces',
    wants: { letterbox: { spec: detector.inputSpec(display, longSide), stepSec: detectionStepSec } },
    look: sample => stopwatch.time('faces', () => detector.detect(sample, display)),
    async take({ frameNumber, timeSec, cut }, { looked }) {
      detections = looked;
      const sample = { frameNumber, timeSec, cut, ...(looked && { detections: looked }) };
      stopwatch.time('tracks', () => tracks.push(sample));
    },
    takeSettled: () => tracks.settled(),
    get settledUntilFrame() {
      return tracks.settledUntilFrame;
    },
    get detections() {
      return detections;
    },
    partial: async () => ({ tracks: tracks.soFar() }),
    finish: async () => ({ tracks: tracks.finish() }),
    save: () => tracks.save(),
  };
}

/** Faces of a part that exists already: their boxes are final when their frame comes. */
export function createKnownFacesPass(part: FaceTracking): FacesPass {
  const boxes = new Map<number, { trackId: number; boxes: [TrackBox] }[]>();
  for (const { faceId: trackId, boxes: own } of toFaces(part)) {
    for (const box of own) {
      const there = boxes.get(box.frameNumber);
      if (there) there.push({ trackId, boxes: [box] });
      else boxes.set(box.frameNumber, [{ trackId, boxes: [box] }]);
    }
  }
  let settledUntilFrame = 0;
  let settled: readonly { readonly trackId: number; readonly boxes: readonly TrackBox[] }[] = [];
  return {
    name: 'faces',
    wants: {},
    async take({ frameNumber }) {
      settledUntilFrame = frameNumber;
      settled = boxes.get(frameNumber) ?? [];
    },
    takeSettled() {
      const given = settled;
      settled = [];
      return given;
    },
    get settledUntilFrame() {
      return settledUntilFrame;
    },
    get detections() {
      return boxes.get(settledUntilFrame)?.map(({ boxes: [box] }) => box) ?? [];
    },
    partial: async () => ({}),
    finish: async () => ({}),
    save: () => undefined,
  };
}
