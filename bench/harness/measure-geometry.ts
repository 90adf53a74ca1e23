import { cropForFace } from '../../src/core/plan/layout.js';
import type { Plan } from '../../src/schema/plan.js';

/** x, y, width, height in source pixels. */
export type Box = readonly [x: number, y: number, width: number, height: number];

/** One panel of a plan at one frame. */
export type Window = {
  readonly box: Box;
  readonly width: number;
  readonly outputHeight: number;
  readonly layout: string;
};

/** Layouts in which a face has one panel of several. */
const severalPanels: ReadonlySet<string> = new Set(['stack', 'grid-3', 'grid-4', 'screen-speaker', 'inset']);

export const centre = ([x, y, width, height]: Box): readonly [number, number] => [
  x + width / 2,
  y + height / 2,
];

/** Whether a point lies in a box that is grown by `slack` box sizes on each side. */
export const inside = ([px, py]: readonly [number, number], [x, y, width, height]: Box, slack = 0): boolean =>
  x - slack * width <= px &&
  px <= x + width * (1 + slack) &&
  y - slack * height <= py &&
  py <= y + height * (1 + slack);

/** Intersection over union, 0–1. */
export function iou(a: Box, b: Box): number {
  const width = Math.max(0, Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]));
  const height = Math.max(0, Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]));
  const union = a[2] * a[3] + b[2] * b[3] - width * height;
  return union ? (width * height) / union : 0;
}

/** Rounds to an integer, halves to the even one, as Python does: the figures must agree with a Python script. */
export function pythonRound(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}

/** Rounds to decimals; exact ties go to the even digit. */
export function round(value: number, digits: number): number {
  const scaled = value * 10 ** digits;
  if (Math.abs(scaled % 1) === 0.5 && scaled / 10 ** digits === value && Number.isInteger(value * 2 ** 20))
    return pythonRound(scaled) / 10 ** digits;
  return Number(value.toFixed(digits));
}

/** A share with four decimals; `null` of nothing. */
export const share = (part: number, whole: number): number | null => (whole ? round(part / whole, 4) : null);

/** Neighbouring true cuts (one-frame blends) as groups: one found cut serves all of a group. */
export function groupCuts(cuts: readonly number[]): number[][] {
  const groups: number[][] = [];
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last && cut - last.at(-1)! <= 1) last.push(cut);
    else groups.push([cut]);
  }
  return groups;
}

/** A plan as the measures see it: the windows of a frame. */
export class PlanView {
  readonly plan: Plan;
  /** Width of the largest window of the output's aspect. */
  readonly nominalWidth: number;
  readonly #cache = new Map<number, Window[]>();

  constructor(plan: Plan) {
    this.plan = plan;
    this.nominalWidth = Math.min(plan.width, (plan.height * plan.output_width) / plan.output_height);
  }

  /** Every panel that the plan shows in a frame; none outside its segments. */
  windows(frame: number): Window[] {
    const cached = this.#cache.get(frame);
    if (cached) return cached;
    const windows: Window[] = [];
    for (const segment of this.plan.segments) {
      if (frame < segment.start_frame || frame >= segment.end_frame) continue;
      for (const { keyframes, output } of segment.panels) {
        const from = keyframes.findLast(key => key.frame_number <= frame) ?? keyframes[0]!;
        const to = keyframes.find(key => key.frame_number >= frame) ?? keyframes.at(-1)!;
        const span = to.frame_number - from.frame_number;
        const ratio = span <= 0 ? 0 : (frame - from.frame_number) / span;
        const side = (name: 'x' | 'y' | 'width' | 'height') => from[name] + (to[name] - from[name]) * ratio;
        const box = [side('x'), side('y'), side('width'), side('height')] as const;
        windows.push({ box, width: box[2], outputHeight: output.height, layout: segment.layout });
      }
    }
    this.#cache.set(frame, windows);
    return windows;
  }

  /** Whether a window shows at least 90 % of a face's width. */
  holdsWidth([x, , width]: Box, { box }: Window): boolean {
    return Math.min(x + width, box[0] + box[2]) - Math.max(x, box[0]) >= 0.9 * width;
  }

  /**
   * Whether a window frames a face well: neither `fit` nor wide, not cut off, large enough to read. One panel of several
   * may be wide, but there the face must be larger: who shows everybody does not win.
   */
  frames(face: Box, window: Window): boolean {
    const isPanel = severalPanels.has(window.layout);
    return (
      window.layout !== 'fit' &&
      (isPanel || window.width <= 1.5 * this.nominalWidth) &&
      this.holdsWidth(face, window) &&
      this.#holdsHeight(face, window) &&
      this.sizeOf(face, window) >= (isPanel ? 0.08 : 0.06)
    );
  }

  /**
   * Whether a window that holds a face shows it at least 60 % as large as the product's window for that face alone
   * would.
   */
  showsLarge(face: Box, window: Window): boolean {
    const { plan } = this;
    const output = { width: plan.output_width, height: plan.output_height };
    const alone = face[3] / cropForFace(face[3], { source: plan, output }).height;
    return (
      this.holdsWidth(face, window) &&
      this.#holdsHeight(face, window) &&
      this.sizeOf(face, window) >= 0.6 * alone
    );
  }

  /** Height of a face in a window, in heights of the output. */
  sizeOf([, , , height]: Box, { box, outputHeight }: Window): number {
    return (height * outputHeight) / box[3] / this.plan.output_height;
  }

  #holdsHeight([, y, , height]: Box, { box }: Window): boolean {
    return Math.min(y + height, box[1] + box[3]) - Math.max(y, box[1]) >= 0.8 * height;
  }
}
