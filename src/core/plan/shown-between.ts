import type { Plan, Segment } from '../../schema/plan.js';
import { cropAtFrame } from './crop-at.js';
import { backgroundOf } from './fill-source.js';

/** What a run of frames shows, and how many frames after the first asked one it begins. */
export type Shown = { readonly after: number; readonly view: object };

/**
 * What a plan shows from one frame to another, both included, counted from the source's start: plain data that is equal
 * where the pictures are, whatever else the plan says and wherever its segments begin. For telling whether a stretch of a
 * clip that is encoded already is still what another plan asks for.
 */
export function shownBetween(plan: Plan, firstFrame: number, lastFrame: number): Shown[] {
  const shown: Shown[] = [];
  let before = '';
  const overlapping = plan.segments.filter(
    ({ start_frame, end_frame }) => start_frame <= lastFrame && end_frame > firstFrame,
  );
  for (const segment of overlapping) {
    const end = Math.min(segment.end_frame - 1, lastFrame);
    const step = isStill(segment) ? end - segment.start_frame + 1 : 1;
    for (let frame = Math.max(segment.start_frame, firstFrame); frame <= end; frame += step) {
      const view = viewAt(plan, frame);
      const said = JSON.stringify(view);
      if (said !== before) shown.push({ after: frame - firstFrame, view });
      before = said;
    }
  }
  return shown;
}

const isStill = ({ panels }: Segment): boolean => panels.every(({ keyframes }) => keyframes.length === 1);

/** What compositors are told of a frame, and not whose face it is. */
function viewAt(plan: Plan, frame: number): object {
  const view = cropAtFrame(plan, frame);
  return {
    panels: view.panels.map(({ source, output, cornerRadius = 0 }) => ({ source, output, cornerRadius })),
    background: backgroundOf(view),
    ...(view.backgroundColour && { colour: view.backgroundColour }),
  };
}
