import type { Advised } from '../../reframer/call-advise.js';
import type { AnalysisState } from '../../schema/analysis-state.js';

/** What a video's step keeps while it is under way, so that it can go on after the page was closed or killed. */
export type Save =
  | { readonly videoId: string; readonly kind: 'state'; readonly state: AnalysisState }
  /** What the advisor said: asked again it may say something else, and what is drawn already would not fit. */
  | { readonly videoId: string; readonly kind: 'advice'; readonly advised: Advised }
  /** How far the step came, and how much of that was done more than once; both in seconds of media. */
  | {
      readonly videoId: string;
      readonly kind: 'reached';
      readonly work: Work;
      readonly reachedSec: number;
      readonly repeatedSec: number;
    };

/** Steps whose seconds count as the same: all analyses look at the source, a transform draws it. */
export type Work = 'analyse' | 'transform';
