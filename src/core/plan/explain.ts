import type { Layout, PlanReason, Segment } from '../../schema/plan.js';
import { clamp } from '../series.js';
import { at, isSeen } from './faces.js';
import type { Piece } from './piece.js';
import { type ShotScene, voiceHeard } from './pieces.js';

/** Why a piece shows what it shows, how sure that is, and what else could be shown. */
export type Explanation = Pick<Segment, 'reason' | 'confidence' | 'alternatives'>;

/**
 * Explains a piece from who speaks in it.
 *
 * Confidence of a face is how much of the time it is on screen, times the share of the speech that is its
 * own, times how clearly its score stands out from those of the other faces; without speech, how clearly it
 * is the obvious subject. Views that were asked for are certain.
 */
export function explain(piece: Piece, layout: Layout, scene: ShotScene): Explanation {
  const { faces } = scene;
  const ratings = faces.map((_, f) => rate(f, piece, scene));
  const framed = framedFaces(piece, layout, faces.length);
  const others = ratings
    .map((rating, f) => ({ layout: 'single' as const, face_id: faces[f]!.faceId, score: rating.score }))
    .filter((other, f) => !framed.has(f) && other.score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, layout === 'fit' ? 3 : 2);
  const alternatives: Segment['alternatives'] = others;
  if (layout === 'single') alternatives.push({ layout: 'fit', score: faces.length > 1 ? 0.2 : 0.1 });
  else if (!others.length) alternatives.push({ layout: 'single', score: 0.2 });

  return {
    reason: reasonOf(piece, layout, scene),
    confidence: confidenceOf(piece, ratings, framed),
    alternatives,
  };
}

type Rating = {
  /** Share of the piece for which the face is on screen. */
  readonly seenRatio: number;
  /** Weighted frames of speech while on screen. */
  readonly speech: number;
  /** Mean raw score while anybody speaks. */
  readonly rawScore: number;
  /** 0–1: how good a subject the face would be. */
  readonly score: number;
};

function rate(f: number, { start, end }: Piece, { faces, weights, timeline }: ShotScene): Rating {
  const face = faces[f]!;
  let seen = 0;
  let speech = 0;
  let raw = 0;
  let tall = 0;
  for (let i = start; i < end; i++) {
    if (!isSeen(face, i)) continue;
    seen++;
    speech += at(face, weights[f]!, i);
    raw += at(face, face.score, i);
    tall += at(face, face.height, i);
  }
  const seenRatio = seen / (end - start);
  const size = seen ? clamp((2 * tall) / seen / timeline.height, 0, 1) : 0;
  return {
    seenRatio,
    speech,
    rawScore: seen ? raw / seen : 0,
    score: round(seenRatio * (0.7 * (speech / (end - start)) + 0.3 * size)),
  };
}

function confidenceOf(
  { reason, view, layout }: Piece,
  ratings: readonly Rating[],
  framed: Set<number>,
): number {
  if (reason === 'override' || reason === 'center' || layout) return 1;
  if (view.kind === 'none') return 0.5;
  if (view.kind !== 'faces' || !framed.size) return 0.6;
  const own = ratings.filter((_, f) => framed.has(f));
  const others = ratings.filter((_, f) => !framed.has(f));
  const seen = Math.min(
    1,
    own.reduce((sum, rating) => sum + rating.seenRatio, 0),
  );
  if (!others.length) return round(seen);
  const sum = (list: readonly Rating[]) => list.reduce((total, rating) => total + rating.speech, 0);
  const best = (list: readonly Rating[], key: 'rawScore' | 'score') =>
    Math.max(...list.map(rating => rating[key]));
  const speech = sum(own);
  if (speech + sum(others) === 0) {
    const [a, b] = [best(own, 'score'), best(others, 'score')];
    return round(seen * (0.3 + 0.4 * (a / (a + b || 1))));
  }
  // Raw scores of the speaker model run from about -3 to 3; a lead of 1 is as good as sure.
  const lead = 1 / (1 + Math.exp(-2 * (best(own, 'rawScore') - best(others, 'rawScore'))));
  return round(seen * (speech / (speech + sum(others))) * (0.5 + 0.5 * lead));
}

function reasonOf(piece: Piece, layout: Layout, scene: ShotScene): PlanReason {
  const { view, start, end } = piece;
  if (piece.reason) return piece.reason;
  if (view.kind === 'none') return 'no_subject';
  if (layout === 'fit') return scene.request.layout === 'fit' ? 'group' : 'too_wide';
  if (view.kind !== 'faces') return 'group';
  const spoken = (f: number) => {
    const { first } = scene.faces[f]!;
    return scene.weights[f]!.subarray(Math.max(0, start - first), Math.max(0, end - first)).some(w => w > 0);
  };
  if (view.stretches.some(stretch => spoken(stretch.face))) return 'speaker';
  if (scene.speech && voiceHeard(scene, start, end)) return 'off_screen_speaker';
  return scene.weights.some((_, f) => spoken(f)) ? 'listener' : 'subject';
}

function framedFaces({ view }: Piece, layout: Layout, count: number): Set<number> {
  if (layout === 'fit') return new Set();
  if (view.kind === 'faces') return new Set(view.stretches.map(stretch => stretch.face));
  return new Set(view.kind === 'all' ? Array.from({ length: count }, (_, f) => f) : []);
}

const round = (value: number) => Math.round(value * 1000) / 1000;
