import type { Size } from '../schema/geometry.js';
import type { FaceTracking } from '../schema/result.js';
import type { SourceClock } from '../schema/time.js';
import { iou } from './box.js';
import type { Shot } from './shots.js';
import type { FaceTrack, TrackBox } from './tracks.js';

/** Frames of a provisional track that became part of a final one; `endFrame` is exclusive. */
export type TrackSource = {
  readonly trackId: number;
  readonly startFrame: number;
  readonly endFrame: number;
};

/** A track of the result, within one shot, and where its boxes came from, in time order. */
export type FinalTrack = FaceTrack & { readonly sources: readonly TrackSource[] };

/** Which tracks stay. */
export type FinalTrackOptions = {
  /** Tracks with boxes for less than this are dropped unless they fill half of their shot; seconds. */
  readonly minTrackSec: number;
  /** Tracks that were never surer than this are dropped. */
  readonly minPeakConfidence: number;
  /** Pieces that meet in a shot without a gap belong together from this overlap on. */
  readonly minJoinIou: number;
};

export const defaultFinalTrackOptions: FinalTrackOptions = {
  minTrackSec: 0.35,
  minPeakConfidence: 0.5,
  minJoinIou: 0.3,
};

/**
 * Makes final tracks: provisional ones are split at the final shots, pieces that a mere flash had separated are
 * joined again, short or doubtful ones dropped. Ids count from 0 in order of first appearance.
 *
 * @param tracks - Provisional tracks; their `faceId` is the provisional id.
 * @param shots - In time order.
 */
export function splitAtShots(
  tracks: readonly FaceTrack[],
  shots: readonly Shot[],
  options: FinalTrackOptions = defaultFinalTrackOptions,
): FinalTrack[] {
  return shots
    .flatMap(shot => {
      const pieces = tracks.flatMap(track => pieceIn(track, shot)).sort(byStart);
      return join(pieces, options).filter(piece => isFace(piece, shot, options));
    })
    .sort(byStart)
    .map((piece, faceId) => ({ ...piece, faceId }));
}

type Piece = { readonly boxes: readonly TrackBox[]; readonly sources: readonly TrackSource[] };

const byStart = (a: Piece, b: Piece) => a.boxes[0]!.frameNumber - b.boxes[0]!.frameNumber;

function pieceIn({ faceId, boxes }: FaceTrack, { startFrame, endFrame }: Shot): Piece[] {
  const inside = boxes.filter(({ frameNumber }) => frameNumber >= startFrame && frameNumber < endFrame);
  if (!inside.length) return [];
  const source = {
    trackId: faceId,
    startFrame: inside[0]!.frameNumber,
    endFrame: inside.at(-1)!.frameNumber + 1,
  };
  return [{ boxes: inside, sources: [source] }];
}

/** Joins pieces where one begins in the very frame after another ended, at the same place. */
function join(pieces: readonly Piece[], options: FinalTrackOptions): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const first = piece.boxes[0]!;
    const index = joined.findIndex(({ boxes }) => {
      const last = boxes.at(-1)!;
      return last.frameNumber + 1 === first.frameNumber && iou(last, first) >= options.minJoinIou;
    });
    const before = joined[index];
    if (!before) joined.push(piece);
    else {
      joined[index] = {
        boxes: [...before.boxes, ...piece.boxes],
        sources: [...before.sources, ...piece.sources],
      };
    }
  }
  return joined;
}

function isFace({ boxes }: Piece, shot: Shot, options: FinalTrackOptions): boolean {
  const frameSec = (shot.endSec - shot.startSec) / (shot.endFrame - shot.startFrame);
  const isLong = boxes.length * frameSec >= options.minTrackSec;
  const fillsShot = boxes.length >= (shot.endFrame - shot.startFrame) / 2;
  return (isLong || fillsShot) && boxes.some(({ confidence }) => confidence >= options.minPeakConfidence);
}

/**
 * Writes tracks as the wire's `face_tracking_yolov8`.
 *
 * @param source - The source's clock and displayed size.
 * @param model - The detector's id.
 */
export function toFaceTracking(
  tracks: readonly FaceTrack[],
  source: SourceClock & Size,
  model: string,
): FaceTracking {
  return {
    model,
    video_fps: source.frameRateHz,
    total_frames: source.totalFrames,
    width: source.width,
    height: source.height,
    track_count: tracks.length,
    tracks: tracks.map(({ faceId, boxes }) => ({
      face_id: faceId,
      first_seen: boxes[0]!.timeSec,
      last_seen: boxes.at(-1)!.timeSec,
      boxes: boxes.map(({ frameNumber, timeSec, x, y, width, height, confidence }) => ({
        timestamp: timeSec,
        frame_number: frameNumber,
        x,
        y,
        width,
        height,
        confidence,
      })),
    })),
  };
}
