import type { GroundTruth } from '../harness/ground-truth.js';
import { groupCuts, type PlanView, pythonRound, round } from '../harness/measure-geometry.js';

/** A figure by its name; `null` where nothing could be judged. */
type PlanMeasures = Record<string, number | boolean | null>;

/**
 * The figures that judge the plan as a whole.
 *
 * - `reversals_per_s`: changes of the camera's direction inside segments. `outside_source`: keyframes that
 *   leave the source. `plan_tiles`: segments tile the clip.
 * - `late_plan_changes`: cuts with no plan change on them but one 1–6 frames beside.
 * - `flips_per_min`: plan changes inside a shot that last under a second.
 * - `turn_latency_p50`, `_p90`: seconds from the start of a turn (0.8 s or longer, face visible, nobody else
 *   talking) until the talker is framed; a turn never framed counts its length.
 * - `false_switches_per_min`: plan changes inside a shot that move the picture by more than a tenth of its
 *   width with no turn starting or ending from 0.5 s after to 1.2 s before them.
 */
export function measurePlan(
  view: PlanView,
  truth: GroundTruth,
  { frames, durationSec }: { frames: number; durationSec: number },
): PlanMeasures {
  const { plan } = view;
  const { segments } = plan;
  const fps = truth.frameRateHz;
  const starts = segments.map(segment => segment.start_frame);
  const onCut = (frame: number) => truth.cuts.some(cut => Math.abs(frame - cut) <= 1);
  const flips = segments.filter(
    (segment, i) =>
      i > 0 &&
      i < segments.length - 1 &&
      segment.end_frame - segment.start_frame < fps &&
      !onCut(segment.start_frame) &&
      !onCut(segment.end_frame),
  ).length;
  const latencies = turnLatencies(view, truth, frames);
  const at = (i: number) => (latencies.length ? round(latencies[i]!, 2) : null);
  const late = groupCuts(truth.cuts).filter(
    group =>
      !group.some(cut => starts.includes(cut)) &&
      group.some(cut => starts.some(start => start !== cut && Math.abs(start - cut) <= 6)),
  ).length;

  return {
    reversals_per_s: round(reversals(view) / durationSec, 3),
    outside_source: outside(view),
    late_plan_changes: late,
    flips_per_min: round((flips * 60) / durationSec, 2),
    turn_latency_p50: at(latencies.length >> 1),
    turn_latency_p90: at(Math.min(latencies.length - 1, Math.trunc(latencies.length * 0.9))),
    false_switches_per_min: truth.speech.length
      ? round((falseSwitches(view, truth) * 60) / durationSec, 2)
      : null,
    segments: segments.length,
    plan_tiles:
      segments.length > 0 &&
      starts[0] === 0 &&
      segments.at(-1)!.end_frame === plan.total_frames &&
      segments.every((segment, i) => i === 0 || segments[i - 1]!.end_frame === segment.start_frame),
  };
}

/** Seconds until the talker of each judged turn is framed, in rising order. */
function turnLatencies(view: PlanView, truth: GroundTruth, frames: number): number[] {
  const fps = truth.frameRateHz;
  const latencies: number[] = [];
  for (const { id, startSec, endSec, onScreen } of truth.speech) {
    const own = truth.faces.filter(face => face.id === id);
    const overlapped = truth.speech.some(
      other => other.id !== id && other.startSec < startSec + 0.3 && other.endSec > startSec,
    );
    if (!onScreen || endSec - startSec < 0.8 || !own.length || overlapped) continue;
    const last = Math.min(pythonRound(endSec * fps), frames);
    let firstSeenSec: number | undefined;
    let framedSec: number | undefined;
    for (let frame = pythonRound(startSec * fps); frame < last && framedSec === undefined; frame++) {
      const sec = frame / fps;
      for (const face of own) {
        if (sec < face.startSec || sec >= face.endSec || face.partial) continue;
        firstSeenSec ??= sec;
        if (view.windows(frame).some(window => view.frames(face.box, window))) framedSec ??= sec;
      }
    }
    if (firstSeenSec === undefined || firstSeenSec > startSec + 0.1) continue;
    latencies.push(Math.max(0, framedSec === undefined ? endSec - startSec : framedSec - startSec));
  }
  return latencies.sort((a, b) => a - b);
}

function falseSwitches(view: PlanView, truth: GroundTruth): number {
  const fps = truth.frameRateHz;
  const edges = truth.speech.flatMap(turn => [turn.startSec, turn.endSec]);
  const middle = (frame: number) => {
    const [window] = view.windows(frame);
    return window && window.box[0] + window.box[2] / 2;
  };
  return view.plan.segments.slice(1).filter(({ start_frame: frame }) => {
    const onCut =
      truth.cuts.some(cut => Math.abs(frame - cut) <= 1) ||
      truth.softCuts.some(([first, last]) => first - 1 <= frame && frame <= last + 1);
    const now = middle(frame);
    const before = middle(frame - 1);
    if (onCut || now === undefined || before === undefined) return false;
    const sec = frame / fps;
    const atTurn = edges.some(edge => -0.5 <= sec - edge && sec - edge <= 1.2);
    return Math.abs(now - before) > 0.1 * view.nominalWidth && !atTurn;
  }).length;
}

/** Changes of horizontal direction between keyframes; steps under half a pixel are none. */
function reversals({ plan }: PlanView): number {
  let count = 0;
  for (const { panels } of plan.segments)
    for (const { keyframes } of panels) {
      let last = 0;
      for (let i = 1; i < keyframes.length; i++) {
        const from = keyframes[i - 1]!;
        const to = keyframes[i]!;
        const step = to.x + to.width / 2 - (from.x + from.width / 2);
        if (Math.abs(step) < 0.5) continue;
        if (last && step > 0 !== last > 0) count++;
        last = step;
      }
    }
  return count;
}

const outside = ({ plan }: PlanView): number =>
  plan.segments
    .flatMap(({ panels }) => panels.flatMap(panel => panel.keyframes))
    .filter(
      ({ x, y, width, height }) =>
        x < -0.51 || y < -0.51 || x + width > plan.width + 0.51 || y + height > plan.height + 0.51,
    ).length;
