import type { PixelBox } from '../../schema/geometry.js';
import { overlapArea } from '../box.js';
import { clamp } from '../series.js';
import type { ShotScene } from './shot-scene.js';
import { usualBox } from './shot-scene.js';

export type ComposeOptions = {
  /** The window goes at most so far out of its way for a bystander, in window widths. */
  readonly maxShiftRatio: number;
  /** How bad a shift by a whole window width is, against 1 for a bystander's face cut in half. */
  readonly shiftCost: number;
  /** A head is wider than its face by this much on either side, in face widths. */
  readonly headRatio: number;
  /** Bystanders count when they are there for at least this share of the piece. */
  readonly minSeenRatio: number;
};

export const defaultComposeOptions: ComposeOptions = {
  maxShiftRatio: 0.16,
  shiftCost: 2.5,
  headRatio: 0.15,
  minSeenRatio: 0.6,
};

/**
 * Moves a still window a little to the side where that takes a bystander's face out of its edge: wholly in
 * or wholly out, since half a face draws the eye.
 *
 * @param x - Where the window would be for its subject alone; `low`, `high` what the subject allows.
 * @param bystanders - Usual boxes of the other faces.
 * @returns The window's left edge, within `low`–`high`.
 */
export function avoidCutFaces(
  { x, low, high, width }: { x: number; low: number; high: number; width: number },
  bystanders: readonly PixelBox[],
  options: ComposeOptions = defaultComposeOptions,
): number {
  const heads = bystanders.map(face => ({
    left: face.x - options.headRatio * face.width,
    right: face.x + (1 + options.headRatio) * face.width,
  }));
  const cost = (edge: number) =>
    heads.reduce(
      (sum, { left, right }) => {
        const seen = clamp((Math.min(right, edge + width) - Math.max(left, edge)) / (right - left), 0, 1);
        return sum + 4 * seen * (1 - seen);
      },
      (options.shiftCost * Math.abs(edge - x)) / width,
    );
  return heads
    .flatMap(({ left, right }) => [left, right, left - width, right - width])
    .filter(edge => edge >= low && edge <= high && Math.abs(edge - x) <= options.maxShiftRatio * width)
    .reduce((best, edge) => (cost(edge) < cost(best) - 0.05 ? edge : best), x);
}

/**
 * What a view's edge should not cut through: the usual boxes of the faces that the view is not about but that are there
 * meanwhile, and lettering.
 *
 * @param subjects - Faces that the view is about.
 */
export function bystandersOf(
  { start, end }: { readonly start: number; readonly end: number },
  subjects: readonly number[],
  { faces, content }: ShotScene,
  options: ComposeOptions = defaultComposeOptions,
): PixelBox[] {
  const others = faces.flatMap((face, f) => {
    if (subjects.includes(f)) return [];
    const { first, present } = face;
    const last = Math.min(end - first, present.length);
    let seen = 0;
    for (let i = Math.max(0, start - first); i < last; i++) if (present[i] === 1) seen++;
    const box = seen >= options.minSeenRatio * (end - start) ? usualBox(face, start, end) : undefined;
    return box ? [box] : [];
  });
  const texts = content.texts.filter(text => text.start < end && start < text.end).map(({ box }) => box);
  return [...others, ...texts.filter(box => !others.some(other => overlapArea(other, box)))];
}
