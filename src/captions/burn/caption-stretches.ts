import { unionBox } from '../../core/box.js';
import { type CropAt, cropAtFrame } from '../../core/plan/crop-at.js';
import { countBelow } from '../../core/series.js';
import type { PixelBox } from '../../schema/geometry.js';
import type { Plan, Segment } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import type { TimeRange } from '../../schema/time.js';
import type { Caption } from '../captions.js';

/** What captions are to keep clear of. */
export type CaptionParts = Pick<AnalysisParts, 'face_tracking_yolov8' | 'content'>;

/** The time of a caption within one view of the plan, and what is seen meanwhile; boxes in output pixels. */
export type CaptionStretch = TimeRange & {
  /** Index of the caption. */
  readonly caption: number;
  /** Index of the plan's segment. */
  readonly view: number;
  /** For each face and panel all places that the face goes through, with a little around them. */
  readonly faces: readonly PixelBox[];
  /** Lettering and screens of the source. */
  readonly lettering: readonly PixelBox[];
};

/** A detector's box ends at brows and lips of some faces: this much is added on each side, in sides of the box. */
const aroundFaceRatio = 0.08;

/** Cuts captions at changes of the view, and looks up what each piece must not cover. Captions and parts are on one clock. */
export function captionStretches(
  captions: readonly Caption[],
  plan: Plan,
  parts: CaptionParts = {},
): CaptionStretch[] {
  const starts = plan.segments.map(startOf);
  const seenTracks = [
    ...(parts.face_tracking_yolov8?.tracks ?? []),
    ...(parts.content?.shots.flatMap(({ turned }) => turned) ?? []),
  ];
  const letteringOf = new Map<number, PixelBox[]>();
  const letteringOn = (view: number): PixelBox[] => {
    const known = letteringOf.get(view) ?? shownLettering(parts.content, plan, plan.segments[view]!);
    letteringOf.set(view, known);
    return known;
  };
  return captions.flatMap((caption, index) => {
    const stretches: CaptionStretch[] = [];
    // What lies outside of the plan's first and last view is shown in them.
    let view = Math.max(0, countBelow(starts, caption.startSec, start => start) - 1);
    for (; view < starts.length && (!view || starts[view]! < caption.endSec); view++) {
      const startSec = Math.max(caption.startSec, view ? starts[view]! : Number.NEGATIVE_INFINITY);
      const endSec = Math.min(caption.endSec, starts[view + 1] ?? Number.POSITIVE_INFINITY);
      if (startSec >= endSec) continue;
      const range = { startSec, endSec };
      const faces = seenTracks.flatMap(({ boxes }) => placesOf(boxes, plan, plan.segments[view]!, range));
      stretches.push({ caption: index, view, ...range, faces, lettering: letteringOn(view) });
    }
    return stretches;
  });
}

/** Every segment's first keyframe lies on its first frame. */
const startOf = ({ panels }: Segment): number => panels[0]!.keyframes[0]!.timestamp;

type SeenBox = PixelBox & { readonly frame_number: number; readonly timestamp: number };

/** Where a face is seen in a stretch of a segment: a box for each panel that shows it. */
function placesOf(
  boxes: readonly SeenBox[],
  plan: Plan,
  { start_frame, end_frame }: Segment,
  { startSec, endSec }: TimeRange,
): PixelBox[] {
  // Most tracks lie elsewhere.
  if (
    !boxes.length ||
    boxes[0]!.timestamp >= endSec + graceSec ||
    boxes.at(-1)!.timestamp < startSec - graceSec
  )
    return [];
  const places: (PixelBox | undefined)[] = [];
  const first = countBelow(boxes, startSec - graceSec, ({ timestamp }) => timestamp);
  for (let i = first; i < boxes.length; i++) {
    const box = boxes[i]!;
    if (box.timestamp >= endSec + graceSec) break;
    if (box.frame_number < start_frame || box.frame_number >= end_frame) continue;
    const [marginX, marginY] = [aroundFaceRatio * box.width, aroundFaceRatio * box.height];
    const face = {
      x: box.x - marginX,
      y: box.y - marginY,
      width: box.width + 2 * marginX,
      height: box.height + 2 * marginY,
    };
    cropAtFrame(plan, box.frame_number).panels.forEach((panel, at) => {
      const place = shownBy(panel, face);
      if (place) places[at] = unionBox(places[at] ?? place, place);
    });
  }
  return places.filter(place => place !== undefined);
}

/** A frame that a caption comes or goes with counts as its own: readers of times round. */
const graceSec = 1e-3;

/** Lettering and screens where the first frame of a segment shows them. */
function shownLettering(
  content: CaptionParts['content'],
  plan: Plan,
  { start_frame, end_frame }: Segment,
): PixelBox[] {
  const { panels } = cropAtFrame(plan, start_frame);
  return (content?.shots ?? []).flatMap(({ rectangles }) =>
    rectangles
      .filter(box => box.start_frame < end_frame && box.end_frame > start_frame)
      .flatMap(box => panels.flatMap(panel => shownBy(panel, box) ?? [])),
  );
}

/** Where a panel shows a box of the source; undefined where the box is outside of the window. */
export function shownBy(
  { source, output }: CropAt['panels'][number],
  { x, y, width, height }: PixelBox,
): PixelBox | undefined {
  const left = Math.max(x, source.x);
  const top = Math.max(y, source.y);
  const right = Math.min(x + width, source.x + source.width);
  const bottom = Math.min(y + height, source.y + source.height);
  if (!(right > left && bottom > top)) return undefined;
  const [across, down] = [output.width / source.width, output.height / source.height];
  return {
    x: output.x + (left - source.x) * across,
    y: output.y + (top - source.y) * down,
    width: (right - left) * across,
    height: (bottom - top) * down,
  };
}
