import type { PixelBox } from '../../schema/geometry.js';
import type { Layout, PlanReason } from '../../schema/plan.js';

/** A run of frames with one subject; frames are counted from the shot's start, `end` exclusive. */
export type Stretch = {
  readonly start: number;
  readonly end: number;
  /** Index into the shot's faces. */
  readonly face: number;
};

/** What a piece of a shot is about; faces are indices into the shot's faces. */
export type View =
  /** One window, on one face after another. */
  | { readonly kind: 'faces'; readonly stretches: readonly Stretch[] }
  /** Several panels, or one that holds several faces; faces in the order of their panels. */
  | { readonly kind: 'panels'; readonly layout: Exclude<Layout, 'single'>; readonly faces: readonly number[] }
  | {
      readonly kind: 'box';
      readonly box: PixelBox;
      /** Where the box has gone to at the end of the override, and which frames that covers. */
      readonly move?: { readonly endBox: PixelBox; readonly start: number; readonly end: number };
    }
  | { readonly kind: 'motion' }
  | { readonly kind: 'center' }
  | { readonly kind: 'none' };

/** A run of frames of one shot under one view, before anybody has thought of a camera. */
export type Piece = {
  readonly start: number;
  readonly end: number;
  readonly view: View;
  /** Set where the view itself says why; otherwise the reason follows from who speaks. */
  readonly reason?: PlanReason;
};

/** The part of a piece within a range of frames; nothing where they do not meet. */
export function clipPiece(piece: Piece, start: number, end: number): Piece[] {
  const from = Math.max(piece.start, start);
  const to = Math.min(piece.end, end);
  if (from >= to) return [];
  if (piece.view.kind !== 'faces') return [{ ...piece, start: from, end: to }];
  const stretches = piece.view.stretches
    .map(stretch => ({
      ...stretch,
      start: Math.max(stretch.start, from),
      end: Math.min(stretch.end, to),
    }))
    .filter(stretch => stretch.start < stretch.end);
  return [{ ...piece, start: from, end: to, view: { kind: 'faces', stretches } }];
}

/** The pieces with everything from `start` to `end` replaced by what `change` makes of that stretch. */
export function replaceRange(
  pieces: readonly Piece[],
  { start, end }: { start: number; end: number },
  change: (piece: Piece) => Piece,
): Piece[] {
  return pieces.flatMap(piece => [
    ...clipPiece(piece, piece.start, start),
    ...clipPiece(piece, start, end).map(change),
    ...clipPiece(piece, end, piece.end),
  ]);
}

/** Joins neighbours that differ in nothing but their range. */
export function joinSame(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && sameView(last, piece)) joined[joined.length - 1] = extend(last, piece);
    else joined.push(piece);
  }
  return joined;
}

const sameView = (a: Piece, b: Piece): boolean =>
  a.reason === b.reason &&
  (a.view.kind === 'faces' && b.view.kind === 'faces'
    ? a.view.stretches.at(-1)!.face === b.view.stretches[0]!.face
    : JSON.stringify(a.view) === JSON.stringify(b.view));

/** The two neighbouring pieces as one. */
export function extend(a: Piece, b: Piece): Piece {
  if (a.view.kind !== 'faces' || b.view.kind !== 'faces') return { ...a, end: b.end };
  const stretches = [...a.view.stretches];
  for (const stretch of b.view.stretches) {
    const last = stretches.at(-1)!;
    if (last.face === stretch.face) stretches[stretches.length - 1] = { ...last, end: stretch.end };
    else stretches.push(stretch);
  }
  return { ...a, end: b.end, view: { kind: 'faces', stretches } };
}
