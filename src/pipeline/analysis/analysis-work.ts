import type { MediaFacts } from '../../media/media.js';
import { type AnalysisState, analysisStateVersion } from '../../schema/analysis-state.js';
import type { FrameTime } from '../../schema/time.js';
import type { RunState } from './run-passes.js';

/**
 * How often an analysis is saved, in seconds of media. What is lost when an analysis ends is that much, the
 * frames on their way (under a second), and the frames before the saved frame whose pixels are needed again:
 * those whose boxes had not settled, which is a second and a half at most at usual frame rates.
 */
export const saveStepSec = 10;

/** What `AnalysisState.work` holds: the analysis behind one frame. */
export type AnalysisWork = {
  readonly identity: Identity;
  /** Where an analysis that goes on begins to read. */
  readonly from: FrameTime;
  readonly firstFrame: number;
  readonly frameCount: number;
  /** Time of the last frame. */
  readonly lastSec: number;
  readonly run: RunState;
  /** What each pass saved, by its name. */
  readonly passes: Readonly<Record<string, unknown>>;
};

/** What has to be the same for an analysis to go on. */
export type Identity = Pick<AnalysisState, 'startSec' | 'endSec' | 'want' | 'have' | 'models'> & {
  readonly source: Pick<MediaFacts, 'totalFrames' | 'durationSec'> & { readonly widthPx: number };
  readonly faceLongSide?: number;
};

/** Packs what was saved. */
export const toState = (work: AnalysisWork, untilSec: number): AnalysisState => {
  const { source: _, faceLongSide: __, ...shown } = work.identity;
  return { version: analysisStateVersion, untilSec, ...shown, work };
};

/** What an analysis goes on from, or why it cannot, as a sentence. */
export function workOf(
  state: AnalysisState | undefined,
  identity: Identity,
): { readonly work?: AnalysisWork; readonly refusal?: string } {
  if (!state) return {};
  const why = misfit(state, identity);
  return why
    ? { refusal: `The analysis began at the start and not from the saved state: ${why}.` }
    : { work: state.work as AnalysisWork };
}

function misfit(state: AnalysisState, identity: Identity): string | undefined {
  if (state.version !== analysisStateVersion)
    return `that is of version ${state.version}, and this is version ${analysisStateVersion}`;
  const saved = (state.work as Partial<AnalysisWork> | undefined)?.identity;
  if (!saved) return 'that has no work in it';
  const differ = (key: keyof Identity) => !isSame(saved[key], identity[key]);
  if (differ('source')) return 'that is of another source, or of another reading of it';
  if (differ('startSec') || differ('endSec'))
    return `that is of ${saved.startSec}–${saved.endSec} s, and this of ${identity.startSec}–${identity.endSec} s`;
  if (differ('want') || differ('have')) return 'that is of other parts';
  if (differ('models')) return `that was made with ${list(saved.models)}, this with ${list(identity.models)}`;
  if (differ('faceLongSide')) return 'that looked for faces in pictures of another size';
  return undefined;
}

const list = (models: readonly string[]) => models.join(', ') || 'no model';

/** Equal as JSON; both are made by {@link toState}, so their keys have one order. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
