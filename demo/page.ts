import type { Advising } from './advising.js';
import type { Exporter } from './exporting.js';
import type { Player } from './player.js';
import type { Session } from './session.js';
import type { State } from './state.js';
import type { Store } from './store.js';

/** What every part of the page is given. */
export type Page = {
  readonly store: Store<State>;
  readonly session: Session;
  readonly player: Player;
  readonly exporter: Exporter;
  readonly advising: Advising;
};

/** The scenes that are known by now, of the plan's own clock. */
export const scenesOf = ({ analysis }: State) => analysis.known?.parts.scene_detection?.scenes ?? [];

/** Rank of the scene at a time. */
export function sceneAt(state: State, timeSec: number): number {
  const found = scenesOf(state).findLastIndex(scene => scene.start_time <= timeSec + 1e-3);
  return Math.max(0, found);
}

/** The plan's view of a scene: the one that is least sure, because that is the one to look at. */
export function segmentOf({ plan }: State, sceneId: number) {
  const segments = plan?.segments.filter(segment => segment.scene_id === sceneId) ?? [];
  return segments.reduce<(typeof segments)[number] | undefined>(
    (worst, segment) => (!worst || segment.confidence < worst.confidence ? segment : worst),
    undefined,
  );
}

/** Views below this are worth a look; `assess` flags the same. */
const unsureBelow = 0.55;

/** Whether somebody has corrected a scene. */
export const isCorrected = ({ edit }: State, scene: ReturnType<typeof scenesOf>[number]): boolean =>
  edit.corrections.some(({ timeSec }) => timeSec >= scene.start_time && timeSec < scene.end_time);

/**
 * Whether a scene is worth a look. Before the analysis is done everything is in doubt, which helps nobody; and who
 * corrected a scene has looked.
 */
export const isUnsure = (state: State, scene: ReturnType<typeof scenesOf>[number]): boolean =>
  state.analysis.status === 'done' &&
  !isCorrected(state, scene) &&
  (segmentOf(state, scene.scene_id)?.confidence ?? 1) < unsureBelow;

/** Until when the source is analysed, in seconds. */
export function knownUntilSec({ plan, source, analysis }: State): number {
  if (!plan) return 0;
  if (analysis.status === 'done') return source?.facts.durationSec ?? 0;
  return (plan.first_frame + plan.frame_count) / (plan.video_fps || 25);
}
