import type { Plan } from '../../schema/plan.js';
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
  for (let frame = firstFrame; frame <= lastFrame; ) {
    const view = viewAt(plan, frame);
    const said = JSON.stringify(view);
    if (said !== before) shown.push({ after: frame - firstFrame, view });
    before = said;
    frame = nextChange(plan, frame);
  }
  return shown;
}

/** What compositors are told of a frame: not whose face it is, and not what stands behind panels that cover it. */
function viewAt(plan: Plan, frame: number): object {
  const view = cropAtFrame(plan, frame);
  return {
    panels: view.panels.map(({ source, output, cornerRadius = 0 }) => ({ source, output, cornerRadius })),
    background: backgroundOf(view),
    ...(view.backgroundColour && { colour: view.backgroundColour }),
  };
}

/** The next frame that may show something else: the next segment's first, where the segment's windows stand still. */
function nextChange({ segments }: Plan, frame: number): number {
  const segment = segments.find(({ start_frame, end_frame }) => start_frame <= frame && frame < end_frame);
  const isStill = segment?.panels.every(({ keyframes }) => keyframes.length === 1);
  return segment && isStill ? segment.end_frame : frame + 1;
}
