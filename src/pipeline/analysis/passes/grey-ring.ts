import type { GreyPicture } from '../../../sampling/sampler.js';
import type { FrameTime } from '../../../schema/time.js';

/**
 * Grey copies of the last frames, by rank. Crops can only be cut once boxes have settled, about a second later;
 * by then the frames themselves must long be closed.
 */
export type GreyRing = {
  keep(at: FrameTime, picture: GreyPicture): void;
  /** The copy of this frame, else of the kept frame nearest to it; undefined when nothing is kept. */
  near(frameNumber: number): GreyPicture | undefined;
  /** Lets go of every frame before the given one. */
  dropBefore(frameNumber: number): void;
  /** The frames that are kept, oldest first. */
  readonly kept: readonly FrameTime[];
  close(): void;
};

export function createGreyRing(): GreyRing {
  const kept = new Map<number, { readonly at: FrameTime; readonly picture: GreyPicture }>();
  const dropBefore = (frameNumber: number) => {
    // A map keeps the order of insertion, which is that of presentation.
    for (const [rank, { picture }] of kept) {
      if (rank >= frameNumber) return;
      picture.close();
      kept.delete(rank);
    }
  };
  return {
    keep: (at, picture) => void kept.set(at.frameNumber, { at, picture }),
    near(frameNumber) {
      const exact = kept.get(frameNumber);
      if (exact) return exact.picture;
      let nearest: number | undefined;
      for (const rank of kept.keys()) {
        if (nearest === undefined || Math.abs(rank - frameNumber) < Math.abs(nearest - frameNumber))
          nearest = rank;
      }
      return nearest === undefined ? undefined : kept.get(nearest)?.picture;
    },
    dropBefore,
    get kept() {
      return [...kept.values()].map(({ at }) => at);
    },
    close: () => dropBefore(Number.POSITIVE_INFINITY),
  };
}
