import { isSeen, isThere, type ShotFace } from './faces.js';
import { type FaceFacts, factsOf, type PlanView, viewsFor } from './plan-views.js';
import type { PlanWeights } from './plan-weights.js';
import type { ShotScene } from './shot-scene.js';
import { countSpeakers, countSure, sumWithin } from './speech-sums.js';
import { changePoints } from './stretches.js';

/** A run of frames with one view; frames are counted from the shot's start, `end` exclusive. */
export type ViewRun = { readonly start: number; readonly end: number; readonly view: PlanView };

/** The views of one stretch between possible changes, and what each is worth there. */
type Stage = { readonly start: number; readonly views: readonly PlanView[]; readonly worth: Float64Array };

/**
 * Decides what is shown in one shot with faces: the row of views that is worth most, found by dynamic programming over
 * all stretches between possible changes. So the choice sees ahead and knows how everything ends: a shot opens on the face
 * that will speak first, an interjection is not worth two changes, whoever is framed stays framed while two speak at once
 * for a moment, and a lively exchange is shown in one picture from its start.
 *
 * The worth of a view is the expected time for which the one who speaks is seen, each second weighted with how well, less
 * what views and changes cost (`PlanWeights`). Views that are too short are remembered with their start, longer ones by
 * their best start alone: time and memory grow with the length of the shot.
 *
 * @returns Runs that tile the shot; neighbours have different views.
 */
export function chooseViews(scene: ShotScene): ViewRun[] {
  const stages = stagesOf(scene);
  const length = scene.shot.end - scene.shot.start;
  const { planWeights: weights, stepSec } = scene;
  const keys = new Map<string, number>();
  for (const { views } of stages) for (const { key } of views) if (!keys.has(key)) keys.set(key, keys.size);
  const count = keys.size;
  const ids = stages.map(({ views }) => views.map(({ key }) => keys.get(key)!));
  const none = Number.NEGATIVE_INFINITY;
  const starts = [...stages.map(({ start }) => start), length];
  const lengthSec = (from: number, to: number) => (starts[to]! - starts[from]!) * stepSec;
  const costlySec = Math.max(weights.shortViewSec, weights.briskViewSec) - 1e-9;

  // For views of which a run is open: where it began, and its worth up to the stage at hand.
  type Open = { since: number; worth: number };
  const young: Open[][] = Array.from({ length: count }, () => []);
  const grown: (Open | undefined)[] = Array.from({ length: count });
  /** Best row that ends with a stage in a view: its worth, and the stage at which that view began. */
  const ends: { worth: Float64Array; since: Int32Array }[] = [];
  // The view of the row before a run, by the run's first stage and view.
  const cameFrom = stages.map(({ views }) => new Int32Array(views.length).fill(-1));

  stages.forEach((stage, s) => {
    const before = ends[s - 1];
    const now = ids[s]!;
    const there = new Set(now);
    for (let id = 0; id < count; id++)
      if (!there.has(id)) {
        young[id] = [];
        grown[id] = undefined;
      }
    now.forEach((id, k) => {
      const view = stage.views[k]!;
      let entered = s ? none : weights.salience * Math.min(2, view.salience);
      if (before)
        ids[s - 1]!.forEach((other, j) => {
          if (other === id) return;
          const change = stages[s - 1]!.views[j]!.layout === view.layout ? 0 : weights.layoutChange;
          const worth = before.worth[j]! - weights.change - change;
          if (worth > entered) {
            entered = worth;
            cameFrom[s]![k] = j;
          }
        });
      const open = young[id]!;
      open.push({ since: s, worth: entered });
      const own = stage.worth[k]!;
      for (const run of open) run.worth += own;
      if (grown[id]) grown[id].worth += own;
      while (open.length && lengthSec(open[0]!.since, s + 1) >= costlySec) {
        const run = open.shift()!;
        // Equally good: as late as possible, because whoever is shown stays.
        if (!grown[id] || run.worth >= grown[id].worth - 1e-9) grown[id] = run;
      }
    });
    const end = { worth: new Float64Array(now.length), since: new Int32Array(now.length) };
    now.forEach((id, k) => {
      let best = grown[id];
      let worth = best?.worth ?? none;
      for (const run of young[id]!) {
        const short = run.worth - brevityCost(lengthSec(run.since, s + 1), weights);
        if (short >= worth - 1e-9) [best, worth] = [run, short];
      }
      end.worth[k] = worth;
      end.since[k] = best!.since;
    });
    ends.push(end);
  });
  return walkBack(stages, { ends, cameFrom, ids, starts });
}

/** What it costs that a view is short. */
const brevityCost = (sec: number, weights: PlanWeights): number =>
  weights.shortView * Math.max(0, weights.shortViewSec - sec) +
  weights.briskView * Math.max(0, weights.briskViewSec - sec);

function walkBack(
  stages: readonly Stage[],
  {
    ends,
    cameFrom,
    ids,
    starts,
  }: {
    ends: readonly { worth: Float64Array; since: Int32Array }[];
    cameFrom: readonly Int32Array[];
    ids: readonly number[][];
    starts: readonly number[];
  },
): ViewRun[] {
  const runs: ViewRun[] = [];
  let s = stages.length - 1;
  let k = ends[s]!.worth.indexOf(Math.max(...ends[s]!.worth));
  while (s >= 0) {
    const since = ends[s]!.since[k]!;
    runs.push({ start: starts[since]!, end: starts[s + 1]!, view: stages[s]!.views[k]! });
    const first = ids[since]!.indexOf(ids[s]![k]!);
    k = cameFrom[since]![first]!;
    s = since - 1;
  }
  return runs.reverse();
}

/** The rank of each face of a shot, 0 for the one that speaks most, as far as speech is expected; then by salience. */
export function rankFaces({ spoken, roles, stepSec }: ShotScene, facts: readonly FaceFacts[]): number[] {
  const totals = spoken.map(
    (sums, f) => sums.at(-1)! * stepSec * roles[f]!.weight + 0.1 * facts[f]!.salience,
  );
  const order = totals.map((_, f) => f).sort((a, b) => totals[b]! - totals[a]!);
  return totals.map((_, f) => order.indexOf(f));
}

/** A view may begin so long before its face comes, and end so long after it has left. Seconds. */
const maxUnseenSec = 1;

/** Stretches between possible changes, the views that are possible in each, and what these are worth. */
function stagesOf(scene: ShotScene): Stage[] {
  const { faces, content, planWeights: weights, stepSec, roles, isNewPanel } = scene;
  const facts = factsOf(scene);
  const { spoken } = scene;
  // Whoever asks for a layout with a screen gets what there is.
  const screens = scene.request.layout === 'auto' ? scene.presented : content.screens;
  const ranks = rankFaces(scene, facts);
  const laughing = countSpeakers(scene);
  const sure = countSure(scene);
  const cache = new Map<string, PlanView[]>();
  const points = changePoints(scene);
  const spokenFrom = firstWord(scene);
  const late = Math.round(maxUnseenSec / stepSec);
  return points.slice(0, -1).map((start, i) => {
    const end = points[i + 1]!;
    const sec = (end - start) * stepSec;
    const middle = (start + end) >> 1;
    // Detectors find people a moment late, and lose them a moment early.
    const near = [start - late, start, middle, end, end + late];
    const alive = faces.flatMap((face, f) => (near.some(frame => isThere(face, frame)) ? [f] : []));
    const candidates = alive.length ? alive : faces.map((_, f) => f);
    const screen = screens.find(timed => timed.start <= middle && middle < timed.end)?.box;
    const key = `${candidates.join(' ')}|${screen ? Object.values(screen).join(' ') : ''}`;
    let views = cache.get(key);
    if (!views) cache.set(key, (views = viewsFor(candidates, screen, { scene, facts, ranks })));
    const speech = faces.map(
      (face, f) => sumWithin(spoken[f]!, face.first, start, end) * stepSec * roles[f]!.weight,
    );
    const away = faces.map(face => absence(face, start, end, stepSec));
    const anyone = faces.some(face => isSeen(face, middle));
    const shared = weights.sharedPerSec * sumWithin(sure, 0, start, end) * stepSec;
    const together = sumWithin(laughing, 0, start, end) * stepSec;
    const opening = isNewPanel ? openingWorth(start * stepSec, end * stepSec, spokenFrom, weights) : 0;
    const worthOf = (view: PlanView) => {
      let sum = -view.costPerSec * sec + view.screenRatio * weights.screenPerSec * sec;
      for (let f = 0; f < faces.length; f++) sum += view.seen[f]! * speech[f]!;
      for (const f of view.faces) {
        if (view.layout === 'group') break;
        const { goneSec, turnedSec } = away[f]!;
        if (anyone) sum -= weights.absentPerSec * goneSec;
        sum -= weights.turnedPerSec * turnedSec;
      }
      if (view.isShared) sum -= shared;
      if (view.layout === 'group') sum += weights.togetherPerSec * together + opening;
      return sum;
    };
    const worth = new Float64Array(views.length);
    views.forEach((view, k) => {
      worth[k] = worthOf(view);
    });
    return { start, views, worth };
  });
}

/** For how long of a stretch a face is not there, and for how long it is lost for a moment or turned away. */
function absence(face: ShotFace, start: number, end: number, stepSec: number) {
  if (face.presentCount === face.present.length) {
    const seen = Math.min(end, face.first + face.present.length) - Math.max(start, face.first);
    return { goneSec: (end - start - Math.max(0, seen)) * stepSec, turnedSec: 0 };
  }
  const { first, present } = face;
  const last = Math.min(end - first, present.length);
  let here = 0;
  let turned = 0;
  for (let i = Math.max(0, start - first); i < last; i++) {
    if (present[i]) here++;
    if (present[i] === 2) turned++;
  }
  const gone = end - start - here;
  return { goneSec: gone * stepSec, turnedSec: turned * stepSec };
}

/** What one picture of all is worth at the start of a new panel. */
function openingWorth(
  fromSec: number,
  toSec: number,
  firstWordSec: number,
  { openingSec: [least, most], openingPerSec }: ShotScene['planWeights'],
): number {
  const until = Math.min(most, Math.max(least, firstWordSec));
  return openingPerSec * Math.max(0, Math.min(toSec, until) - fromSec);
}

/** When somebody speaks for the first time in a shot, in seconds. */
function firstWord({ faces, weights, stepSec }: ShotScene): number {
  const first = faces.map(({ first: start }, f) => {
    const i = weights[f]!.findIndex(weight => weight > 0);
    return i < 0 ? Number.POSITIVE_INFINITY : start + i;
  });
  return Math.min(...first) * stepSec;
}
