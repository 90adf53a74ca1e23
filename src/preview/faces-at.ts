import type { PixelBox, PixelPoint } from '../schema/geometry.js';
import type { AnalysisParts } from '../schema/result.js';

/** A face in one frame. */
export type FaceAt = {
  /** Id of the face in the analysis. */
  readonly faceId: number;
  /** Pixels of the displayed source. */
  readonly box: PixelBox;
  /** Whether the face is decided to speak in this frame. */
  readonly speaking: boolean;
};

/** The faces that are on screen at a time; those of the frame that is shown then. */
export function facesAt(
  { face_tracking_yolov8: tracking, active_speaker: speakers }: AnalysisParts,
  timeSec: number,
): FaceAt[] {
  const frameSec = 1 / (tracking?.video_fps || 25);
  const last = (tracking?.tracks ?? []).flatMap(({ face_id, boxes }) => {
    const box = lastUntil(boxes, timeSec);
    return box ? [{ face_id, box }] : [];
  });
  // Frames are not all equally long: a track is over as soon as another one has a box of a later frame, and where there
  // is no other, half a frame after its last one ends.
  const shownFrame = Math.max(...last.map(({ box }) => box.frame_number));
  return last.flatMap(({ face_id, box }) => {
    if (box.frame_number < shownFrame || timeSec - box.timestamp > 1.5 * frameSec) return [];
    const scores = speakers?.tracks.find(track => track.face_id === face_id)?.scores ?? [];
    const score = lastUntil(scores, timeSec);
    const speaking = score?.frame_number === box.frame_number && score.speaking;
    const { x, y, width, height } = box;
    return [{ faceId: face_id, box: { x, y, width, height }, speaking }];
  });
}

/**
 * The face under a point, the smallest where several lie over each other.
 *
 * @param point - Pixels of the displayed source.
 */
export function faceAt(parts: AnalysisParts, timeSec: number, { x, y }: PixelPoint): FaceAt | undefined {
  return facesAt(parts, timeSec)
    .filter(({ box }) => x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height)
    .sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height)[0];
}

/** The last entry that has begun at a time; players round times, hence the millisecond. */
function lastUntil<Entry extends { readonly timestamp: number }>(
  entries: readonly Entry[],
  timeSec: number,
): Entry | undefined {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.timestamp <= timeSec + 1e-3) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1];
}
