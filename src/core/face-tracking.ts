import type { Size } from '../schema/geometry.js';
import type { FaceTracking } from '../schema/result.js';
import type { SourceClock } from '../schema/time.js';
import { centre, iou } from './box.js';
import type { Person } from './people/find-people.js';
import { median } from './series.js';
import type { Shot } from './shot-boundaries.js';
import type { FaceTrack, TrackBox } from './tracks.js';

/** Frames of a provisional track that became part of a final one; `endFrame` is exclusive. */
export type TrackSource = {
  readonly trackId: number;
  readonly startFrame: number;
  readonly endFrame: number;
};

/** A track of the result, within one shot. */
export type FinalTrack = FaceTrack & {
  /** Where its boxes came from, in time order. */
  readonly sources: readonly TrackSource[];
  /** How much the face moves, see {@link motionRatioOf}. */
  readonly motionRatio: number;
};

/** Which tracks stay. */
export type FinalTrackOptions = {
  /** Tracks with boxes for less than this are dropped unless they fill half of their shot; seconds. */
  readonly minTrackSec: number;
  /** Tracks that were never surer than this are dropped. */
  readonly minPeakConfidence: number;
  /** Pieces that meet in a shot without a gap belong together from this overlap on. */
  readonly minJoinIou: number;
};

/** Half a second is more than one sighting at five detections a second; lone sightings were hands and sleeves. */
export const defaultFinalTrackOptions: FinalTrackOptions = {
  minTrackSec: 0.5,
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
    .map((piece, faceId) => ({ ...piece, faceId, motionRatio: motionRatioOf(piece.boxes) }));
}

/**
 * The median way of the box centre within 0.2 s, in face sizes (root of the box area). On the development clips
 * a still photo has 0.001, faces of 15 pixels 0.002 and more, others from 0.008 on. 0 for a single box.
 *
 * @param boxes - In time order.
 */
export function motionRatioOf(boxes: readonly TrackBox[]): number {
  const ways: number[] = [];
  let earlier = 0;
  for (const box of boxes) {
    while (box.timeSec - (boxes[earlier + 1] ?? box).timeSec >= motionStepSec) earlier++;
    const before = boxes[earlier]!;
    if (box.timeSec - before.timeSec < motionStepSec) continue;
    const [from, to] = [centre(before), centre(box)];
    ways.push(Math.hypot(to.x - from.x, to.y - from.y) / Math.sqrt(box.width * box.height));
  }
  return ways.length ? median(ways) : 0;
}

/** One sampling stride, short by half a frame so that rounded times still reach it. */
const motionStepSec = 0.18;

type Piece = { readonly boxes: readonly TrackBox[]; readonly sources: readonly TrackSource[] };

const byStart = (a: Piece, b: Piece) => a.boxes[0]!.frameNumber - b.boxes[0]!.frameNumber;

function pieceIn({ faceId, boxes }: FaceTrack, { startFrame, endFrame }: Shot): Piece[] {
  // Most tracks lie in another shot altogether.
  if (!boxes.length || boxes.at(-1)!.frameNumber < startFrame || boxes[0]!.frameNumber >= endFrame) return [];
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
 * @param people - Who the faces are, by face id; absent where nobody tells.
 */
export function toFaceTracking(
  tracks: readonly FaceTrack[],
  source: SourceClock & Size,
  { model, people }: { readonly model: string; readonly people?: ReadonlyMap<number, Person> | undefined },
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
      ...wirePerson(people?.get(faceId)),
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

const wirePerson = (person: Person | undefined) =>
  person && { person_id: person.personId, person_confidence: Math.round(100 * person.confidence) / 100 };
