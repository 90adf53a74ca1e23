import { median } from '../series.js';
import { at, isSeen, isThere, type ShotFace } from './faces.js';
import type { Stretch } from './piece.js';

/**
 * What the camera must hold, frame by frame; entry 0 is the first frame of the piece. Where the face is not
 * seen, it is taken to be where it was last, or will be first.
 */
export type Focus = {
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** Whether a change of position is one thing moving, rather than one face after another. */
  readonly moves: boolean;
};

/** The focus on the faces of neighbouring stretches, one after another. */
export function focusOn(stretches: readonly Stretch[], faces: readonly ShotFace[]): Focus {
  const start = stretches[0]!.start;
  const length = stretches.at(-1)!.end - start;
  const focus = {
    x: new Float32Array(length),
    y: new Float32Array(length),
    width: new Float32Array(length),
    height: new Float32Array(length),
  };
  for (const stretch of stretches) {
    const face = faces[stretch.face]!;
    let seen = nearestSeen(face, stretch.start);
    for (let i = stretch.start; i < stretch.end; i++) {
      if (isThere(face, i)) seen = i;
      focus.x[i - start] = at(face, face.x, seen);
      focus.y[i - start] = at(face, face.y, seen);
      focus.width[i - start] = at(face, face.width, seen);
      focus.height[i - start] = at(face, face.height, seen);
    }
  }
  return { ...focus, moves: new Set(stretches.map(stretch => stretch.face)).size === 1 };
}

/** Usual values are taken of so many: finer ones move a window by less than a pixel. */
const maxSamples = 60;

/** The median of values over time. */
export function usual(values: Float32Array): number {
  const stride = Math.max(1, Math.ceil(values.length / maxSamples));
  return median(
    Float32Array.from({ length: Math.ceil(values.length / stride) }, (_, i) => values[i * stride]!),
  );
}

/** The last frame up to a given one in which a face is seen; else the first in which it is. */
function nearestSeen(face: ShotFace, frame: number): number {
  for (let i = frame; i >= face.first; i--) if (isThere(face, i)) return i;
  return face.first;
}

/**
 * The focus together with every other face that speaks for a while within the focus, at the frames where that
 * face speaks.
 *
 * @returns Nothing where nobody else speaks long enough.
 */
export function joinFocus(
  focus: Focus,
  { start, end }: { start: number; end: number },
  scene: { faces: readonly ShotFace[]; weights: readonly Float32Array[]; minFrames: number },
): Focus | undefined {
  const joined = {
    x: focus.x.slice(),
    y: focus.y.slice(),
    width: focus.width.slice(),
    height: focus.height.slice(),
  };
  let found = false;
  scene.faces.forEach((face, f) => {
    const speaks: number[] = [];
    for (let i = start; i < end; i++) if (at(face, scene.weights[f]!, i) && isSeen(face, i)) speaks.push(i);
    if (speaks.length < scene.minFrames) return;
    for (const i of speaks) {
      const k = i - start;
      const right = Math.max(joined.x[k]! + joined.width[k]!, at(face, face.x, i) + at(face, face.width, i));
      const bottom = Math.max(
        joined.y[k]! + joined.height[k]!,
        at(face, face.y, i) + at(face, face.height, i),
      );
      joined.x[k] = Math.min(joined.x[k]!, at(face, face.x, i));
      joined.y[k] = Math.min(joined.y[k]!, at(face, face.y, i));
      found ||= right - joined.x[k]! > 1.3 * joined.width[k]!;
      joined.width[k] = right - joined.x[k]!;
      joined.height[k] = bottom - joined.y[k]!;
    }
  });
  return found ? { ...joined, moves: false } : undefined;
}
