import type { PixelBox } from '../schema/geometry.js';
import type { Panel, Plan, Segment } from '../schema/plan.js';
import { frameAt, type TimelineRate } from './timeline-rate.js';

/** A segment of a plan on a clock; `endSec` exclusive. */
export type Cut = { readonly segment: Segment; readonly startSec: number; readonly endSec: number };

/** A cut on the frames of a timeline whose frame 0 is the source's 0; `endFrame` exclusive. */
export type FramedCut = Cut & { readonly startFrame: number; readonly endFrame: number };

/** What a panel shows at a time of the source, in seconds. */
export type Window = PixelBox & { readonly timeSec: number };

/**
 * The segments with their times. Every segment's first keyframe lies on its first frame, so that each ends exactly where
 * the next begins, whatever the frame rate; the last one ends by the average rate.
 */
export function cutsOf({ segments, video_fps }: Plan): Cut[] {
  return segments.map((segment, i) => {
    const startSec = startOf(segment);
    const next = segments[i + 1];
    const last = segment.panels[0]!.keyframes.at(-1)!;
    const endSec = next
      ? startOf(next)
      : last.timestamp + (segment.end_frame - last.frame_number) / video_fps;
    return { segment, startSec, endSec };
  });
}

const startOf = ({ panels }: Segment): number => panels[0]!.keyframes[0]!.timestamp;

/** The cuts on a timeline's frames; those that fill none of them are left out. */
export function framedCutsOf(plan: Plan, rate: TimelineRate): FramedCut[] {
  return cutsOf(plan)
    .map(cut => ({ ...cut, startFrame: frameAt(cut.startSec, rate), endFrame: frameAt(cut.endSec, rate) }))
    .filter(({ startFrame, endFrame }) => endFrame > startFrame);
}

/** Between two windows whose sizes differ by more than this, those in between are told as well. */
const maxZoomStep = 1.02;

/**
 * A panel's windows. Plans move all four numbers on straight lines; other programs do that with scale and position, which
 * is another path while the size changes. Steps of 2 % keep the two within 1/20000 of the picture.
 *
 * @param snap - Where a program takes windows at frames only, the time of the frame nearest to a time.
 */
export function windowsOf({ keyframes }: Panel, snap = (timeSec: number) => timeSec): Window[] {
  return keyframes.flatMap((key, i) => {
    const next = keyframes[i + 1];
    const windows = [windowOf(key.timestamp, key)];
    if (!next) return windows;
    const zoom = Math.max(ratio(next.width, key.width), ratio(next.height, key.height));
    const steps = Math.ceil(Math.log(zoom) / Math.log(maxZoomStep) - 1e-9);
    const span = next.timestamp - key.timestamp;
    for (let step = 1; step < steps; step++) {
      const timeSec = snap(key.timestamp + (span * step) / steps);
      if (timeSec <= windows.at(-1)!.timeSec || timeSec >= next.timestamp) continue;
      const share = (timeSec - key.timestamp) / span;
      const at = (side: keyof PixelBox) => key[side] + (next[side] - key[side]) * share;
      windows.push({ timeSec, x: at('x'), y: at('y'), width: at('width'), height: at('height') });
    }
    return windows;
  });
}

const ratio = (a: number, b: number): number => Math.max(a / b, b / a);
const windowOf = (timeSec: number, { x, y, width, height }: PixelBox): Window => ({
  timeSec,
  x,
  y,
  width,
  height,
});

/** How a whole picture lies in the output, in output pixels, so that its window fills the panel. */
export type Placement = {
  readonly scaleX: number;
  readonly scaleY: number;
  /** Middle of the picture; x to the right, y down. */
  readonly centreX: number;
  readonly centreY: number;
};

export function placementOf(window: PixelBox, { output }: Panel, plan: Plan): Placement {
  const scaleX = output.width / window.width;
  const scaleY = output.height / window.height;
  return {
    ...{ scaleX, scaleY },
    centreX: output.x + (plan.width / 2 - window.x) * scaleX,
    centreY: output.y + (plan.height / 2 - window.y) * scaleY,
  };
}

/** How much a picture is scaled to lie whole in the output: what editors call `fit`, and count scales from. */
export const fitScale = (plan: Plan): number =>
  Math.min(plan.output_width / plan.width, plan.output_height / plan.height);

/** Whether a panel fills the output, so that nothing of its picture has to be cut off. */
export const fillsOutput = ({ output }: Panel, plan: Plan): boolean =>
  output.x <= 0 &&
  output.y <= 0 &&
  output.x + output.width >= plan.output_width &&
  output.y + output.height >= plan.output_height;

/** The panel that stands for a segment where only one can: the largest, the first of equals. */
export const mainPanel = ({ panels }: Segment): Panel =>
  panels.reduce((best, panel) => (area(panel) > area(best) ? panel : best));

const area = ({ output }: Panel): number => output.width * output.height;
