import { iou, overlapArea } from '../../src/core/box.js';
import type { Content } from '../../src/schema/content.js';
import type { PixelBox } from '../../src/schema/geometry.js';
import type { DrawnBox, DrawnClip } from './drawn-clips.js';
import { pathAt } from './motion-clips.js';

/** How far the picture's edges are off at most, pixels; undefined where the kind of bars is another in any shot. */
export function barError({ shots }: Content, { bars, picture }: DrawnClip): number | undefined {
  if (shots.some(shot => shot.bars !== bars)) return undefined;
  const edges = ({ x, y, width, height }: PixelBox) => [x, y, x + width, y + height];
  const truth = edges(picture);
  return Math.max(...shots.flatMap(shot => edges(shot.picture).map((edge, i) => Math.abs(edge - truth[i]!))));
}

/** What was drawn and is covered by what was found, in frames in the middle of its time; and what was found for nothing. */
export type ReadScore = {
  /** Share of what was drawn that rectangles cover by nine tenths; of the right kind for screens. */
  readonly found: number;
  readonly drawn: number;
  /** Rectangles, and those of them that hold nothing that was drawn. */
  readonly rectangles: number;
  readonly wrong: number;
};

export function scoreRead({ shots, video_fps }: Content, { rectangles: drawn }: DrawnClip): ReadScore {
  const found = shots.flatMap(({ rectangles }) => rectangles);
  const isFound = (box: DrawnBox) => {
    const frame = ((box.startSec + box.endSec) / 2) * video_fps;
    const there = found.filter(
      ({ start_frame, end_frame, kind }) =>
        frame >= start_frame && frame < end_frame && (box.kind === 'text' || kind === 'screen'),
    );
    return coverOf(box, there) >= 0.9;
  };
  const wrong = found.filter(
    box => !drawn.some(other => overlapArea(other, box) >= 0.3 * box.width * box.height),
  );
  return {
    ...{ found: drawn.filter(isFound).length, drawn: drawn.length },
    ...{ rectangles: found.length, wrong: wrong.length },
  };
}

/** Share of a box that others cover, on a grid. */
function coverOf({ x, y, width, height }: PixelBox, others: readonly PixelBox[]): number {
  const grid = 40;
  let covered = 0;
  for (let j = 0; j < grid; j++)
    for (let i = 0; i < grid; i++) {
      const [atX, atY] = [x + ((i + 0.5) * width) / grid, y + ((j + 0.5) * height) / grid];
      const holds = (box: PixelBox) =>
        atX >= box.x && atX < box.x + box.width && atY >= box.y && atY < box.y + box.height;
      if (others.some(holds)) covered++;
    }
  return covered / grid ** 2;
}

/** Way from the middle of each point to the thing that moves, in widths of the picture; from the second second on. */
export function motionErrors({ shots, width }: Content): number[] {
  return shots
    .flatMap(({ motion }) => motion)
    .filter(({ timestamp }) => timestamp >= 1)
    .map(point => {
      const { x, y } = pathAt(point.timestamp);
      return Math.hypot(point.x + point.width / 2 - x, point.y + point.height / 2 - y) / width;
    });
}

/** Overlap of a followed head with the face boxes that were taken away; 0 for looks in which it was not followed. */
export function turnedOverlaps(
  { shots, video_fps }: Content,
  faceId: number,
  hidden: readonly (PixelBox & { readonly frame_number: number })[],
): number[] {
  const followed = shots.flatMap(({ turned }) => turned.filter(({ face_id }) => face_id === faceId));
  const byFrame = new Map(
    followed.flatMap(({ boxes }) => boxes.map(box => [box.frame_number, box] as const)),
  );
  // Looks are taken five times a second.
  const step = Math.max(1, Math.round(video_fps / 5));
  return hidden
    .filter((_, i) => i > 0 && i % step === 0)
    .map(box => {
      const near = [...byFrame].find(([frame]) => Math.abs(frame - box.frame_number) <= step / 2);
      return near ? iou(near[1], box) : 0;
    });
}
