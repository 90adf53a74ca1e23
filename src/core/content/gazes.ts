import type { PixelBox } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';
import type { Detection } from '../detection.js';
import { clamp } from '../series.js';

/** To which side a face looks in one frame: −1 (left of the picture) to 1 (right). Its box in pixels of the displayed frame. */
export type Gaze = FrameTime & PixelBox & { readonly confidence: number; readonly turn: number };

/** Notes where faces look. Its state is plain JSON. */
export interface GazeFolder {
  /** @param detections - Faces found in this frame; those without landmarks tell nothing. */
  push(time: FrameTime, detections: readonly Detection[]): void;
  gazes(): readonly Gaze[];
  save(): unknown;
}

/** @param saved - State of another folder; the new folder goes on from there. */
export function createGazeFolder(saved?: unknown): GazeFolder {
  const found: Gaze[] = [...((saved as readonly Gaze[] | undefined) ?? [])];
  return {
    push({ frameNumber, timeSec }, detections) {
      for (const { landmarks, confidence, x, y, width, height } of detections) {
        const turn = landmarks && turnOf(landmarks, width);
        if (turn !== undefined) found.push({ frameNumber, timeSec, x, y, width, height, confidence, turn });
      }
    },
    gazes: () => found,
    save: () => [...found],
  };
}

/** Eyes that seem nearer to each other than this, in face widths, are those of a profile. */
const minEyesRatio = 0.2;

/**
 * How far the nose lies off the middle of the eyes, in distances of the eyes: 0 is frontal.
 *
 * @param landmarks - Both eyes and the nose first.
 * @param width - Of the face's box.
 */
function turnOf(landmarks: NonNullable<Detection['landmarks']>, width: number): number | undefined {
  const [left, right, nose] = landmarks;
  if (!left || !right || !nose) return undefined;
  const eyes = Math.max(minEyesRatio * width, Math.hypot(right.x - left.x, right.y - left.y));
  const turn = clamp((nose.x - (left.x + right.x) / 2) / eyes, -1, 1);
  return Math.round(turn * 1000) / 1000;
}
