import type { ViewRun } from './choose-views.js';
import { at, isSeen } from './faces.js';
import type { ShotScene } from './shot-scene.js';

export type RetimeOptions = {
  /** The camera is on a speaker this long before the first word, where a pause allows it. Seconds. */
  readonly leadSec: number;
  /** Longest lead before the first word, in a longer pause: speaking decisions start late. Seconds. */
  readonly maxLeadSec: number;
  /** The camera stays this long after a speaker's last word where the next turn allows it. Seconds. */
  readonly tailSec: number;
  /** Where two turns overlap by less, the camera goes to the next speaker at once instead of waiting. Seconds. */
  readonly handoverSec: number;
};

/** Everybody whom a run shows, on purpose or beside others. */
const shownIn = ({ view }: ViewRun): number[] =>
  view.layout === 'fit' ? [] : [...view.seen.keys()].filter(face => view.seen[face]! > 0);

export const defaultRetimeOptions: RetimeOptions = {
  leadSec: 0.1,
  maxLeadSec: 0.3,
  tailSec: 0.15,
  handoverSec: 0.6,
};

/**
 * Moves each change of view to where a cutter would put it. The best row of views leaves open where in a pause a change
 * lies; here it goes just before the first word of who is shown next, later than the last word of who was shown before
 * where the pause is long enough, and never to a face that is not there yet. Then all of them go by the offset that the
 * caller asks for (J and L cuts). Changes between views with a face in common stay where they are worth most.
 */
export function retime(
  runs: readonly ViewRun[],
  scene: ShotScene,
  options: RetimeOptions = defaultRetimeOptions,
): ViewRun[] {
  const { faces, weights, stepSec, request, planWeights } = scene;
  const frames = (sec: number) => Math.round(sec / stepSec);
  const moved = runs.map(run => ({ ...run }));
  for (let k = 1; k < moved.length; k++) {
    const before = moved[k - 1]!;
    const after = moved[k]!;
    const speaks = (of: readonly number[], frame: number) =>
      of.some(face => at(faces[face]!, weights[face]!, frame) > 0);
    const [left, next] = [shownIn(before), shownIn(after)];
    if (!left.length || !next.length || left.some(face => next.includes(face))) continue;
    // A change away from a face that has left is already where it belongs.
    if (!left.some(face => isSeen(faces[face]!, after.start))) continue;
    let first = after.start;
    while (first < after.end && !speaks(next, first)) first++;
    if (first === after.end) continue;
    if (first === after.start) {
      let runStart = first;
      while (runStart > before.start && speaks(next, runStart - 1)) runStart--;
      if (first - runStart <= frames(options.handoverSec)) first = runStart;
      else continue;
    }
    let lastWord = first;
    while (lastWord > before.start && !speaks(left, lastWord - 1)) lastWord--;
    let change = Math.min(lastWord + frames(options.tailSec), first - frames(options.leadSec));
    // Without a pause there is nothing to lead into: the last word belongs to its speaker.
    change = Math.min(
      first,
      Math.max(change, lastWord, first - frames(options.maxLeadSec), before.start + 1),
    );
    while (change < first && !next.some(face => isSeen(faces[face]!, change))) change++;
    before.end = change;
    after.start = change;
  }
  const offset = frames(request.cutOffsetSec);
  const least = frames(planWeights.shortViewSec / 2);
  for (let k = 1; offset && k < moved.length; k++) {
    const before = moved[k - 1]!;
    const after = moved[k]!;
    const change = after.start + offset;
    if (change - before.start < least || after.end - change < least) continue;
    before.end = change;
    after.start = change;
  }
  return moved;
}
