import { median, sample } from '../series.js';
import { at, isThere, type ShotFace } from './faces.js';
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
  const [only, ...more] = stretches;
  const seenAll = !more.length && only && partSeen(faces[only.face]!, only);
  if (seenAll) return seenAll;
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

/** A stretch of a face that is there all the time: its own boxes, not copied. */
function partSeen(face: ShotFace, { start, end }: Stretch): Focus | undefined {
  const [from, to] = [start - face.first, end - face.first];
  if (from < 0 || to > face.present.length || face.present.subarray(from, to).includes(0)) return undefined;
  return {
    x: face.x.subarray(from, to),
    y: face.y.subarray(from, to),
    width: face.width.subarray(from, to),
    height: face.height.subarray(from, to),
    moves: true,
  };
}

/** Usual values are taken of so many: finer ones move a window by less than a pixel. */
const maxSamples = 60;

/** The median of values over time. */
export function usual(values: Float32Array): number {
  return median(sample(values, Math.max(1, Math.ceil(values.length / maxSamples))));
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
  const speakers = scene.faces.flatMap((face, f) => {
    const frames = framesSpoken(face, scene.weights[f]!, { start, end });
    return frames.length && frames.length >= scene.minFrames ? [{ face, frames }] : [];
  });
  if (!speakers.length) return undefined;
  const joined = {
    x: focus.x.slice(),
    y: focus.y.slice(),
    width: focus.width.slice(),
    height: focus.height.slice(),
  };
  let found = false;
  for (const { face, frames } of speakers)
    for (const i of frames) {
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
  return found ? { ...joined, moves: false } : undefined;
}

/** The frames of a range in which a face is seen to speak. */
function framesSpoken(
  { first, present }: ShotFace,
  weights: Float32Array,
  { start, end }: { start: number; end: number },
): number[] {
  const frames: number[] = [];
  const last = Math.min(end - first, weights.length);
  for (let i = Math.max(0, start - first); i < last; i++)
    if (weights[i]! > 0 && present[i] === 1) frames.push(first + i);
  return frames;
}
