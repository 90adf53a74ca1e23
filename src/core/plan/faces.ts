/**
 * One face within one shot. Every array has one entry per frame from where the face is first seen to where it
 * is last there, so that memory grows with what is on screen, not with tracks times frames.
 */
export type ShotFace = {
  readonly faceId: number;
  /** Where tracking lost a face and found it again under other ids: which id holds from which frame of the shot on. */
  readonly laterIds: readonly { readonly from: number; readonly faceId: number }[];
  /** Whose face it is; absent where unknown. */
  readonly personId?: number;
  /** Frame of entry 0, counted from the shot's start. */
  readonly first: number;
  /** Box in pixels of the displayed source; meaningless where `present` is 0. */
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly width: Float32Array;
  readonly height: Float32Array;
  /** 1 where the face is on screen (short gaps are filled), 2 where it is lost for a moment or has turned away. */
  readonly present: Uint8Array;
  /** 1 where the face speaks likely enough to be worth a turn. */
  readonly speaking: Uint8Array;
  /** Probability that the face speaks, 0–1; 0 where nothing is known. */
  readonly probability: Float32Array;
  /** Number of frames with `present` 1. */
  readonly presentCount: number;
};

export type FaceOptions = {
  /** A face that is away for less than this is taken as never gone: detectors blink. Seconds. */
  readonly maxGapSec: number;
  /** A face that is lost for less than this and comes back where it was has turned away, not left. Seconds. */
  readonly maxLostSec: number;
  /** How far from where it was lost a face may come back, in face widths. */
  readonly maxLostWayRatio: number;
  /** Faces lower than this share of the source's height are texture, unless they speak. */
  readonly minHeightRatio: number;
};

export const defaultFaceOptions: FaceOptions = {
  maxGapSec: 0.3,
  maxLostSec: 5,
  maxLostWayRatio: 1.5,
  minHeightRatio: 0.022,
};

/** A face's value at a frame of its shot (counted from the shot's start); 0 outside of where the face is seen. */
export function at(face: ShotFace, values: Float32Array | Uint8Array, frame: number): number {
  const i = frame - face.first;
  return i >= 0 && i < values.length ? values[i]! : 0;
}

/** Whether a face is on screen at a frame of its shot. */
export const isSeen = (face: ShotFace, frame: number): boolean => at(face, face.present, frame) === 1;

/** Whether a face is on screen, or lost for a moment only. */
export const isThere = (face: ShotFace, frame: number): boolean => at(face, face.present, frame) > 0;

/** The id under which a face is tracked at a frame of its shot. */
export const idAt = (face: ShotFace, frame: number): number =>
  face.laterIds.findLast(({ from }) => from <= frame)?.faceId ?? face.faceId;

/** Whether a face has an id at any time of its shot. */
export const hasId = (face: ShotFace, faceId: number): boolean =>
  face.faceId === faceId || face.laterIds.some(later => later.faceId === faceId);

/** Arrays of a face for so many frames, all 0: parts of one buffer, because clips with many cuts have thousands of faces. */
export function faceArrays(length: number) {
  const buffer = new ArrayBuffer(22 * length);
  const floats = (rank: number) => new Float32Array(buffer, 4 * length * rank, length);
  return {
    x: floats(0),
    y: floats(1),
    width: floats(2),
    height: floats(3),
    probability: floats(4),
    present: new Uint8Array(buffer, 20 * length, length),
    speaking: new Uint8Array(buffer, 21 * length, length),
  };
}
