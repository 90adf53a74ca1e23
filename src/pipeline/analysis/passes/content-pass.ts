import { createAttentionFolder } from '../../../core/content/attention.js';
import { createBarFolder } from '../../../core/content/bar-runs.js';
import type { ContentEvidence } from '../../../core/content/content.js';
import { createGazeFolder } from '../../../core/content/gazes.js';
import { lookSizeOf, lookStepSec } from '../../../core/content/look.js';
import { createReadFolder } from '../../../core/content/read-boxes.js';
import { createTurnedFolder } from '../../../core/content/turned-heads.js';
import type { Size } from '../../../schema/geometry.js';
import type { Stopwatch } from '../../stopwatch.js';
import type { AnalysisPass } from '../analysis-pass.js';
import type { FacesPass } from './faces-pass.js';

export type ContentPassOptions = {
  readonly display: Size;
  /** Taken before this pass; without one no head is followed and no gaze known. */
  readonly faces?: Pick<FacesPass, 'detections'>;
  readonly stopwatch: Stopwatch;
};

/** A pass between two frames: what each kind of content has kept. */
type ContentState = {
  readonly bars: unknown;
  readonly read: unknown;
  readonly attention: unknown;
  readonly turned: unknown;
  readonly gazes: unknown;
};

/**
 * Looks for what is in the picture beside faces: bars, lettering and screens, what moves, heads that have turned away, and
 * where faces look.
 *
 * @param state - Of another pass; the new pass goes on from there.
 */
export function createContentPass(
  { display, faces, stopwatch }: ContentPassOptions,
  state?: unknown,
): AnalysisPass {
  const saved = state as ContentState | undefined;
  const size = lookSizeOf(display);
  const bars = createBarFolder(saved?.bars);
  const read = createReadFolder(size, saved?.read);
  const attention = createAttentionFolder(saved?.attention);
  const turned = createTurnedFolder(display, saved?.turned);
  const gazes = createGazeFolder(saved?.gazes);
  const found = (): { content: ContentEvidence } => ({
    content: {
      size,
      bars: bars.runs(),
      read: read.spans(),
      attention: attention.points(),
      turned: turned.runs(),
      gazes: gazes.gazes(),
    },
  });
  return {
    name: 'content',
    wants: { thumbnail: 'in turn', luma: { size, stepSec: lookStepSec } },
    async take({ frameNumber, timeSec, cut }, { luma, thumbnail }) {
      if (thumbnail)
        stopwatch.time('attention', () => attention.push({ frameNumber, timeSec, cut, thumbnail }));
      if (!luma) return;
      const look = { frameNumber, timeSec, cut, luma, size };
      stopwatch.time('bars', () => bars.push(look));
      stopwatch.time('lettering', () => read.push(look));
      const detections = faces?.detections;
      if (!detections) return;
      stopwatch.time('heads', () => turned.push(look, detections));
      gazes.push({ frameNumber, timeSec }, detections);
    },
    partial: async () => found(),
    finish: async () => found(),
    save: (): ContentState => ({
      bars: bars.save(),
      read: read.save(),
      attention: attention.save(),
      turned: turned.save(),
      gazes: gazes.save(),
    }),
  };
}
