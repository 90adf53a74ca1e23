import type { Content } from '../../schema/content.js';
import type { PixelBox, Size } from '../../schema/geometry.js';
import { lerpBox } from '../box.js';
import { lerp } from '../series.js';

type WireShot = Content['shots'][number];
/** Lettering or a screen, and the frames in which it is there. */
export type ContentRectangle = WireShot['rectangles'][number];
/** A box at a moment; `confidence` 0–1. */
export type ContentBox = PixelBox & { readonly confidence: number };

/** What is in the picture of one shot beside faces; boxes in pixels of the displayed frame. */
export interface ContentOfShot {
  /** The picture without its bars: no crop shall reach out of it. */
  readonly picture: PixelBox;
  readonly bars: WireShot['bars'];
  /** Everything to be read that is there in the frame. */
  rectanglesAt(frameNumber: number): readonly ContentRectangle[];
  /** Where the eye goes; between two points on a straight line. Undefined where nothing attracts it. */
  motionAt(frameNumber: number): ContentBox | undefined;
  /** The head of a face that has turned away; undefined while the face is seen or the head is lost. */
  turnedAt(faceId: number, frameNumber: number): ContentBox | undefined;
}

/** Points further apart than this belong to different moments, seconds. */
const maxGapSec = 0.9;

/**
 * Reads the part `content` for a shot of the planner. Without the part, or for a shot it does not know, the picture is whole
 * and nothing is in it.
 *
 * @param source - Displayed size.
 * @param shot - Frames, `endFrame` exclusive.
 */
export function contentOfShot(
  content: Content | undefined,
  source: Size,
  { startFrame, endFrame }: { readonly startFrame: number; readonly endFrame: number },
): ContentOfShot {
  // Shots may come from elsewhere, and begin a frame sooner or later.
  const middle = (startFrame + endFrame - 1) / 2;
  const shot = content?.shots.find(
    ({ start_frame, end_frame }) => middle >= start_frame && middle < end_frame,
  );
  const gapFrames = maxGapSec * (content?.video_fps ?? 0);
  return {
    picture: shot?.picture ?? { x: 0, y: 0, width: source.width, height: source.height },
    bars: shot?.bars ?? 'none',
    rectanglesAt: frame =>
      shot?.rectangles.filter(({ start_frame, end_frame }) => frame >= start_frame && frame < end_frame) ??
      [],
    motionAt: frame => boxAt(shot?.motion ?? [], frame, { before: gapFrames, after: gapFrames }),
    turnedAt(faceId, frame) {
      const boxes = shot?.turned.find(({ face_id }) => face_id === faceId)?.boxes ?? [];
      return boxAt(boxes, frame, { before: 0, after: gapFrames / 2 });
    },
  };
}

type WireBox = WireShot['motion'][number];

/**
 * The box of a frame among boxes in order of time: between its neighbours where those are close enough, else held.
 *
 * @param hold - Frames for which the first box holds before its frame, and each box after its own.
 */
function boxAt(
  boxes: readonly WireBox[],
  frame: number,
  hold: { readonly before: number; readonly after: number },
): ContentBox | undefined {
  let [low, high] = [0, boxes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle]!.frame_number <= frame) low = middle + 1;
    else high = middle;
  }
  const [before, after] = [boxes[low - 1], boxes[low]];
  if (before && after && after.frame_number - before.frame_number <= hold.after) {
    const ratio = (frame - before.frame_number) / (after.frame_number - before.frame_number);
    return { ...lerpBox(before, after, ratio), confidence: lerp(before.confidence, after.confidence, ratio) };
  }
  if (before && frame - before.frame_number <= hold.after) return plainBox(before);
  return after && after.frame_number - frame <= hold.before ? plainBox(after) : undefined;
}

const plainBox = ({ x, y, width, height, confidence }: WireBox): ContentBox => ({
  x,
  y,
  width,
  height,
  confidence,
});
