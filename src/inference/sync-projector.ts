import { concat } from '../core/series.js';
import { syncSize } from '../core/speaker-evidence.js';
import { embeddingSize } from './lr-asd.js';

/** Projects embeddings frame by frame; each needs the frame before and the frame after. */
export interface SyncProjector {
  push(embedding: Float32Array): void;
  /** Ends the frames. @returns `[frames, syncSize]`, or nothing without a matrix. */
  finish(): Float32Array;
  /** What another projector goes on from. */
  save(): SyncProjectorState;
}

/** A projector between two frames: what it made so far, and the last two embeddings. */
export type SyncProjectorState = {
  readonly rows: Float32Array;
  readonly before?: Float32Array;
  readonly current?: Float32Array;
};

/**
 * @param matrix - `[3, embeddingSize, syncSize]`; at both ends the outermost frame stands in for its neighbour.
 * @param saved - State of another projector; the new projector goes on from there.
 */
export function createSyncProjector(
  matrix: Float32Array | undefined,
  saved?: SyncProjectorState,
): SyncProjector {
  let rows: Float32Array[] = saved ? [saved.rows] : [];
  let { before, current } = saved ?? {};
  const project = (after: Float32Array) => {
    if (!matrix || !current) return;
    const row = new Float32Array(syncSize);
    [before ?? current, current, after].forEach((embedding, k) => {
      for (let i = 0; i < embeddingSize; i++) {
        const value = embedding[i]!;
        const at = (k * embeddingSize + i) * syncSize;
        for (let j = 0; j < syncSize; j++) row[j]! += value * matrix[at + j]!;
      }
    });
    rows.push(row);
  };
  return {
    push(embedding) {
      project(embedding);
      before = current;
      current = embedding.slice();
    },
    finish() {
      if (current) project(current);
      current = undefined;
      return concat(rows);
    },
    save() {
      const joined = concat(rows);
      rows = [joined];
      return { rows: joined, ...(before && { before }), ...(current && { current }) };
    },
  };
}
