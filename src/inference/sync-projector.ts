import { syncSize } from '../core/speaker-evidence.js';
import { embeddingSize } from './lr-asd.js';

/** Projects embeddings frame by frame; each needs the frame before and the frame after. */
export interface SyncProjector {
  push(embedding: Float32Array): void;
  /** Ends the frames. @returns `[frames, syncSize]`, or nothing without a matrix. */
  finish(): Float32Array;
}

/** @param matrix - `[3, embeddingSize, syncSize]`; at both ends the outermost frame stands in for its neighbour. */
export function createSyncProjector(matrix: Float32Array | undefined): SyncProjector {
  const rows: Float32Array[] = [];
  let before: Float32Array | undefined;
  let current: Float32Array | undefined;
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
      const out = new Float32Array(rows.length * syncSize);
      rows.forEach((row, i) => {
        out.set(row, i * syncSize);
      });
      return out;
    },
  };
}
