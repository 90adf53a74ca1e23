import type { PixelBox } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';
import { iou } from '../box.js';
import type { Detection } from '../detection.js';
import { type ChipPlace, chipPlaceOf } from './face-chip.js';

/** One look at a face: where it is in a frame, and how good a picture of it that gives. */
export type FaceLook = FrameTime &
  PixelBox & {
    readonly place: ChipPlace;
    /** Above 0, 1 for a large frontal face. */
    readonly quality: number;
  };

/** Which of the looks at a face are kept. */
export type LookOptions = {
  /** Looks that stay of a face that is seen without a break. */
  readonly maxLooks: number;
  /** Two looks are no nearer in time than this, until there are too many of them; seconds. */
  readonly leastStepSec: number;
  /** A face that is not found for this long begins anew, seconds. */
  readonly maxGapSec: number;
  /** From this overlap on a face is the one of the look before. */
  readonly minIou: number;
  /** Doubtful detections give no look. */
  readonly minConfidence: number;
};

/** Five looks five times a second: one of each head position, and hands are hardly ever that sure. */
export const defaultLookOptions: LookOptions = {
  maxLooks: 5,
  leastStepSec: 0.4,
  maxGapSec: 1,
  minIou: 0.3,
  minConfidence: 0.5,
};

/** The looks at one face that is followed. */
type Chain = {
  last: PixelBox;
  lastSec: number;
  readonly startSec: number;
  stepSec: number;
  looks: FaceLook[];
};

/** Chooser between two frames; plain JSON. */
export type LooksState = { readonly chains: readonly Chain[]; readonly done: readonly FaceLook[] };

/**
 * Chooses a few good looks at each face, spread over the time that it is seen: in each step of time the best, and when
 * there are too many, the steps are twice as long.
 */
export interface FaceLooks {
  /**
   * @param cut - Whether the frame is the first of a shot: no face goes on.
   * @returns Looks at this frame that are kept for now.
   */
  push(frame: FrameTime & { readonly cut: boolean }, detections: readonly Detection[]): readonly FaceLook[];
  /** Looks that are kept for now, at faces that are still followed. */
  readonly kept: readonly FaceLook[];
  /** Looks that stay for good, since the last call. */
  takeDone(): readonly FaceLook[];
  /** No more frames come: all looks stay. */
  finish(): void;
  save(): LooksState;
}

/** @param saved - State of another chooser; the new one goes on from there. */
export function createFaceLooks(saved?: LooksState, options: LookOptions = defaultLookOptions): FaceLooks {
  let chains: Chain[] = copied(saved?.chains ?? []);
  let done: FaceLook[] = [...(saved?.done ?? [])];

  const end = (ended: readonly Chain[]) => {
    done.push(...ended.flatMap(({ looks }) => looks));
    chains = chains.filter(chain => !ended.includes(chain));
  };
  const follow = (box: PixelBox, { timeSec }: FrameTime): Chain => {
    const overlaps = chains.map(chain => (chain.lastSec < timeSec ? iou(chain.last, box) : 0));
    const best = overlaps.indexOf(Math.max(...overlaps));
    if (best >= 0 && overlaps[best]! >= options.minIou) return chains[best]!;
    const { leastStepSec: stepSec } = options;
    const chain = { last: box, lastSec: timeSec, startSec: timeSec, stepSec, looks: [] };
    chains.push(chain);
    return chain;
  };

  return {
    push({ frameNumber, timeSec, cut }, detections) {
      end(cut ? chains : chains.filter(({ lastSec }) => timeSec - lastSec > options.maxGapSec));
      const kept: FaceLook[] = [];
      for (const { x, y, width, height, confidence, landmarks } of detections) {
        const place = landmarks && confidence >= options.minConfidence && chipPlaceOf(landmarks);
        if (!place) continue;
        const box = { x, y, width, height };
        const chain = follow(box, { frameNumber, timeSec });
        Object.assign(chain, { last: box, lastSec: timeSec });
        const look = { frameNumber, timeSec, ...box, place, quality: qualityOf(place) };
        chain.looks = thinned([...chain.looks, look], chain, options.maxLooks);
        if (chain.looks.includes(look)) kept.push(look);
      }
      return kept;
    },
    get kept() {
      return chains.flatMap(({ looks }) => looks);
    },
    takeDone() {
      const taken = done;
      done = [];
      return taken;
    },
    finish: () => end(chains),
    save: () => ({ chains: copied(chains), done: [...done] }),
  };
}

/** Chains change while faces are followed; looks do not. */
const copied = (chains: readonly Chain[]): Chain[] =>
  chains.map(chain => ({ ...chain, looks: [...chain.looks] }));

/** The best look of each step of time; steps grow until few enough are left. */
function thinned(looks: readonly FaceLook[], chain: Chain, maxLooks: number): FaceLook[] {
  for (;;) {
    const best = new Map<number, FaceLook>();
    for (const look of looks) {
      const step = Math.floor((look.timeSec - chain.startSec) / chain.stepSec + 1e-6);
      const before = best.get(step);
      if (!before || look.quality > before.quality) best.set(step, look);
    }
    if (best.size <= maxLooks) return [...best.values()];
    chain.stepSec *= 2;
  }
}

/** A face is large enough where a chip need not be enlarged, and frontal where its landmarks are those of the mean face. */
function qualityOf({ across, misfitPx }: ChipPlace): number {
  return Math.min(1, Math.hypot(across.x, across.y)) * Math.exp(-misfitPx / 10);
}
