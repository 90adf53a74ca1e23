import { createBarFolder } from '../../../core/content/bar-runs.js';
import type { ContentEvidence } from '../../../core/content/content.js';
import { lookSizeOf, lookStepSec } from '../../../core/content/look.js';
import { createReadFolder } from '../../../core/content/read-boxes.js';
import type { Size } from '../../../schema/geometry.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';

export type ContentPassOptions = {
  readonly display: Size;
  readonly stopwatch: Stopwatch;
};

/** A pass between two frames. */
type ContentState = { readonly bars: unknown; readonly read: unknown };

/**
 * Looks for what is in the picture beside faces: bars, lettering and screens, what moves, heads that have turned away.
 *
 * @param state - Of another pass; the new pass goes on from there.
 */
export function createContentPass({ display, stopwatch }: ContentPassOptions, state?: unknown): AnalysisPass {
  const saved = state as ContentState | undefined;
  const size = lookSizeOf(display);
  const bars = createBarFolder(saved?.bars);
  const read = createReadFolder(size, saved?.read);
  const found = (): { content: ContentEvidence } => ({
    content: { size, bars: bars.runs(), read: read.spans() },
  });
  return {
    name: 'content',
    wants: { luma: { size, stepSec: lookStepSec } },
    async take({ frameNumber, timeSec, cut }, { luma }) {
      if (!luma) return;
      const look = { frameNumber, timeSec, cut, luma, size };
      stopwatch.time('bars', () => bars.push(look));
      stopwatch.time('lettering', () => read.push(look));
    },
    partial: async () => found(),
    finish: async () => found(),
    save: (): ContentState => ({ bars: bars.save(), read: read.save() }),
  };
}
