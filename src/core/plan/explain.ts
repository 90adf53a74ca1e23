import type { PixelBox } from '../../schema/geometry.js';
import type { Layout, Panel, PlanReason, Segment } from '../../schema/plan.js';
import { clamp } from '../series.js';
import { at, idAt, isSeen } from './faces.js';
import type { Piece } from './piece.js';
import { voiceHeard } from './pieces.js';
import { type ShotScene, usualBox } from './shot-scene.js';
import { sumWithin } from './speech-sums.js';

/** Why a piece shows what it shows, how sure that is, and what else could be shown. */
export type Explanation = Pick<Segment, 'reason' | 'confidence' | 'alternatives'>;

/** What a piece shows in the end. */
export type Shown = { readonly layout: Layout; readonly panels: readonly Panel[] };

/**
 * Explains a piece from who speaks in it.
 *
 * Confidence is the probability that whoever speaks is seen: of the speech that is expected in the piece, the part that
 * belongs to faces in its windows. Where somebody surely speaks and the faces together are less likely than that, the
 * rest comes from off screen. Without speech, how clearly the framed face is the obvious subject. Views that were asked
 * for are certain.
 */
export function explain(piece: Piece, shown: Shown, scene: ShotScene): Explanation {
  const { faces } = scene;
  const ratings = faces.map((_, f) => rate(f, piece, scene));
  const framed = framedFaces(piece, shown, scene);
  const others = ratings
    .map((rating, f) => ({
      layout: 'single' as const,
      face_id: idAt(faces[f]!, piece.start),
      score: rating.score,
    }))
    .filter((other, f) => (shown.layout !== 'single' || !framed.has(f)) && other.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, shown.layout === 'fit' ? 3 : 2);
  const alternatives: Segment['alternatives'] = others;
  if (shown.layout !== 'fit') alternatives.push({ layout: 'fit', score: faces.length > 1 ? 0.2 : 0.1 });
  else if (!others.length) alternatives.push({ layout: 'single', score: 0.2 });
  const talk = expectedTalk(piece, framed, scene);
  return {
    reason: reasonOf(piece, shown.layout, scene),
    confidence: confidenceOf(piece, { ratings, framed, talk }, scene),
    alternatives,
  };
}

type Rating = {
  /** Share of the piece for which the face is on screen. */
  readonly seenRatio: number;
  /** 0–1: how good a subject the face would be. */
  readonly score: number;
};

function rate(f: number, { start, end }: Piece, { faces, spoken, timeline }: ShotScene): Rating {
  const face = faces[f]!;
  let seen = 0;
  let tall = 0;
  for (let i = Math.max(start, face.first); i < end && i - face.first < face.present.length; i++) {
    if (!isSeen(face, i)) continue;
    seen++;
    tall += at(face, face.height, i);
  }
  const seenRatio = seen / (end - start);
  const size = seen ? clamp((2 * tall) / seen / timeline.height, 0, 1) : 0;
  const speech = sumWithin(spoken[f]!, face.first, start, end) / (end - start);
  return { seenRatio, score: round(seenRatio * (0.7 * speech + 0.3 * size)) };
}

/** Frames of speech that are expected in a piece, and those of them whose face is framed. */
function expectedTalk(
  { start, end }: Piece,
  framed: ReadonlySet<number>,
  { faces, weights, heard: voices }: ShotScene,
): { all: number; seen: number } {
  const own = new Float32Array(end - start);
  const total = new Float32Array(end - start);
  const heard = voices ? voices.slice(start, end) : new Uint8Array(end - start);
  faces.forEach((face, f) => {
    const from = Math.max(start, face.first);
    const to = Math.min(end, face.first + face.present.length);
    for (let i = from; i < to; i++) {
      const k = i - face.first;
      if (weights[f]![k]! > 0) heard[i - start] = 1;
      const likely = face.present[k] === 1 ? face.probability[k]! : 0;
      total[i - start]! += likely;
      if (framed.has(f)) own[i - start]! += likely;
    }
  });
  let all = 0;
  let seen = 0;
  for (let i = 0; i < heard.length; i++) {
    if (!heard[i]) continue;
    all += Math.max(1, total[i]!);
    seen += own[i]!;
  }
  return { all, seen };
}

function confidenceOf(
  { reason, view, start, end }: Piece,
  {
    ratings,
    framed,
    talk,
  }: { ratings: readonly Rating[]; framed: ReadonlySet<number>; talk: { all: number; seen: number } },
  { stepSec }: ShotScene,
): number {
  if (reason === 'override' || reason === 'center') return 1;
  if (view.kind === 'none') return 0.5;
  // Shorter than a word: whoever is shown then is shown for something else.
  if (talk.all * stepSec >= Math.min(0.3, 0.2 * (end - start) * stepSec)) return round(talk.seen / talk.all);
  const own = ratings.filter((_, f) => framed.has(f));
  const others = ratings.filter((_, f) => !framed.has(f));
  if (!own.length) return 0.6;
  const seen = Math.min(
    1,
    own.reduce((sum, rating) => sum + rating.seenRatio, 0),
  );
  if (!others.length) return round(seen);
  const [a, b] = [own, others].map(list => Math.max(...list.map(rating => rating.score)));
  return round(seen * (0.3 + 0.4 * (a! / (a! + b! || 1))));
}

/** Share of the speech of a piece in which several speak at once from which on that is why they are shown together. */
const crosstalkRatio = 0.4;
/** Mean probability of the likeliest face from which on it is known who speaks. */
const sureRatio = 0.8;

function reasonOf(piece: Piece, layout: Layout, scene: ShotScene): PlanReason {
  const { view, start, end } = piece;
  if (piece.reason) return piece.reason;
  if (view.kind === 'none') return 'no_subject';
  if (view.kind === 'motion') return 'motion';
  if (layout === 'screen-speaker' || layout === 'inset') return 'screen';
  if (layout === 'group' && scene.isNewPanel && start === 0) return 'opening';
  if (layout === 'fit') return scene.request.layout === 'fit' ? 'group' : 'too_wide';
  if (layout === 'group' || view.kind === 'center') return 'group';
  const spoken = (f: number) => {
    const { first } = scene.faces[f]!;
    return scene.weights[f]!.subarray(Math.max(0, start - first), Math.max(0, end - first)).some(w => w > 0);
  };
  if (layout !== 'single') return whySeveral(piece, scene);
  if (view.kind === 'faces' && view.stretches.some(stretch => spoken(stretch.face))) return 'speaker';
  if (scene.heard && voiceHeard(scene, start, end)) return 'off_screen_speaker';
  return scene.weights.some((_, f) => spoken(f)) ? 'listener' : 'subject';
}

/** Why several faces have panels: they speak at once, in quick turns, or nobody can tell which. */
function whySeveral({ start, end }: Piece, { faces, weights }: ShotScene): PlanReason {
  let [speech, atOnce, likeliest] = [0, 0, 0];
  for (let i = start; i < end; i++) {
    let [count, most] = [0, 0];
    faces.forEach((face, f) => {
      if (at(face, weights[f]!, i) > 0) count++;
      most = Math.max(most, at(face, face.probability, i));
    });
    if (!count) continue;
    speech++;
    likeliest += most;
    if (count > 1) atOnce++;
  }
  if (!speech || likeliest < sureRatio * speech) return 'unsure';
  return atOnce >= crosstalkRatio * speech ? 'crosstalk' : 'exchange';
}

/** The faces that a piece's windows hold: those that it is about, and whoever usually is where a window is. */
function framedFaces(piece: Piece, { panels }: Shown, { faces }: ShotScene): Set<number> {
  const { view, start, end } = piece;
  const about =
    view.kind === 'faces' ? view.stretches.map(({ face }) => face) : view.kind === 'panels' ? view.faces : [];
  const framed = new Set(about);
  const windows = panels.map(({ keyframes }) => keyframes[keyframes.length >> 1]!);
  faces.forEach((face, f) => {
    const box = framed.has(f) ? undefined : usualBox(face, start, end);
    if (box && windows.some(window => holds(window, box))) framed.add(f);
  });
  return framed;
}

/** Whether a window shows nine tenths of a face's width, and its middle. */
function holds(window: PixelBox, box: PixelBox): boolean {
  const across = Math.min(box.x + box.width, window.x + window.width) - Math.max(box.x, window.x);
  const middle = box.y + box.height / 2;
  return across >= 0.9 * box.width && middle >= window.y && middle <= window.y + window.height;
}

const round = (value: number) => Math.round(value * 1000) / 1000;
