import type { PixelBox } from '../../schema/geometry.js';
import type { Layout, PlanReason } from '../../schema/plan.js';
import type { Stretch } from './subject.js';

/** What a piece of a shot is about; faces are indices into the shot's faces. */
export type View =
  | { readonly kind: 'faces'; readonly stretches: readonly Stretch[] }
  | { readonly kind: 'all' }
  | {
      readonly kind: 'box';
      readonly box: PixelBox;
      /** Where the box has gone to at the end of the override, and which frames that covers. */
      readonly move?: { readonly endBox: PixelBox; readonly start: number; readonly end: number };
    }
  | { readonly kind: 'center' }
  | { readonly kind: 'none' };

/** A run of frames of one shot under one view, before anybody has thought of a camera. */
export type Piece = {
  readonly start: number;
  readonly end: number;
  readonly view: View;
  /** Set where the view itself says why; otherwise the reason follows from who speaks. */
  readonly reason?: PlanReason;
  /** Set where the caller asks for a layout. */
  readonly layout?: Layout;
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
