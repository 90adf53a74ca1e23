import type { GreyPicture } from '../sampling/sampler.js';

/**
 * Grey copies of the last frames, by rank. Crops can only be cut once boxes have settled, about a second later;
 * by then the frames themselves must long be closed.
 */
export type GreyRing = {
  keep(frameNumber: number, picture: GreyPicture): void;
  /** The copy of this frame, else of the kept frame nearest to it; undefined when nothing is kept. */
  near(frameNumber: number): GreyPicture | undefined;
  /** Lets go of every frame before this one. */
  dropBefore(frameNumber: number): void;
  readonly size: number;
  close(): void;
};

export function createGreyRing(): GreyRing {
  const kept = new Map<number, GreyPicture>();
  const dropBefore = (frameNumber: number) => {
    // A map keeps the order of insertion, which is that of presentation.
    for (const [rank, picture] of kept) {
      if (rank >= frameNumber) return;
      picture.close();
      kept.delete(rank);
    }
  };
  return {
    keep: (frameNumber, picture) => void kept.set(frameNumber, picture),
    near(frameNumber) {
      const exact = kept.get(frameNumber);
      if (exact) return exact;
      let nearest: number | undefined;
      for (const rank of kept.keys()) {
        if (nearest === undefined || Math.abs(rank - frameNumber) < Math.abs(nearest - frameNumber))
          nearest = rank;
      }
      return nearest === undefined ? undefined : kept.get(nearest);
    },
    dropBefore,
    get size() {
      return kept.size;
    },
    close: () => dropBefore(Number.POSITIVE_INFINITY),
  };
}
