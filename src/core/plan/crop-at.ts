import type { PixelBox } from '../../schema/geometry.js';
import type { Background, Keyframe, Layout, Plan, Segment } from '../../schema/plan.js';
import { clamp } from '../series.js';

/** What a plan shows at one moment: boxes of the displayed source, and where in the output they go. */
export type CropAt = {
  /** Layout of the segment that the moment lies in. */
  readonly layout: Layout;
  /** What fills the output where no panel is; absent where they cover it. */
  readonly background?: Background;
  /** The colour of the background `colour`, as `#rrggbb`; black where absent. */
  readonly backgroundColour?: string;
  /**
   * The windows, each from a box of the displayed source to a box of the output, both in pixels; later ones lie over
   * earlier ones. `faceId` is the face that a window follows, `cornerRadius` that of its corners in output pixels, where
   * not 0.
   */
  readonly panels: readonly {
    readonly source: PixelBox;
    readonly output: PixelBox;
    readonly faceId?: number;
    readonly cornerRadius?: number;
  }[];
};

/** Players and JSON round times: a segment is taken to start this much earlier. Seconds. */
const graceSec = 1e-3;

/**
 * What a plan shows at a time, for previews and editors. Times outside the plan give its first or last view.
 *
 * @throws RangeError where the plan has no segments.
 */
export function cropAt(plan: Plan, timeSec: number): CropAt {
  const segment = findSegment(plan, candidate => startSec(candidate) <= timeSec + graceSec);
  return viewOf(segment, keyframe => keyframe.timestamp, timeSec);
}

/** What a plan shows in a frame, exactly as it is rendered; the frame is counted from the source's start. */
export function cropAtFrame(plan: Plan, frameNumber: number): CropAt {
  const segment = findSegment(plan, candidate => candidate.start_frame <= frameNumber);
  return viewOf(segment, keyframe => keyframe.frame_number, frameNumber);
}

/** Every segment's first keyframe lies on its first frame. */
const startSec = ({ panels }: Segment) => panels[0]!.keyframes[0]!.timestamp;

/** The last segment that has begun; segments are in order. */
function findSegment({ segments }: Plan, begun: (segment: Segment) => boolean): Segment {
  if (!segments.length) throw new RangeError('the plan has no segments');
  let low = 0;
  let high = segments.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (begun(segments[middle]!)) low = middle;
    else high = middle - 1;
  }
  return segments[low]!;
}

function viewOf(segment: Segment, position: (keyframe: Keyframe) => number, at: number): CropAt {
  return {
    layout: segment.layout,
    ...(segment.background ? { background: segment.background } : {}),
    ...(segment.background_colour ? { backgroundColour: segment.background_colour } : {}),
    panels: segment.panels.map(panel => ({
      source: between(panel.keyframes, position, at),
      output: panel.output,
      ...(panel.face_id === undefined ? {} : { faceId: panel.face_id }),
      ...(panel.corner_radius ? { cornerRadius: panel.corner_radius } : {}),
    })),
  };
}

/** The window between two keyframes; constant before the first and after the last. */
function between(
  keyframes: readonly Keyframe[],
  position: (keyframe: Keyframe) => number,
  at: number,
): PixelBox {
  let low = 0;
  let high = keyframes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (position(keyframes[middle]!) <= at) low = middle;
    else high = middle - 1;
  }
  const from = keyframes[low]!;
  const to = keyframes[Math.min(low + 1, keyframes.length - 1)]!;
  const span = position(to) - position(from);
  const ratio = span > 0 ? clamp((at - position(from)) / span, 0, 1) : 0;
  const side = (name: 'x' | 'y' | 'width' | 'height') => from[name] + (to[name] - from[name]) * ratio;
  return { x: side('x'), y: side('y'), width: side('width'), height: side('height') };
}
