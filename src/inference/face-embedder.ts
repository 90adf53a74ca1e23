import { chipPx } from '../core/people/face-chip.js';
import type { Session } from './session.js';

/** A network that describes faces, so that two pictures of one person are near each other. */
export interface FaceEmbedder {
  /** The model's id. */
  readonly name: string;
  /**
   * @param chips - Upright faces, each uint8 `[3, 150, 150]`, RGB.
   * @returns For each face float32 `[128]`.
   */
  embed(chips: readonly Uint8Array[]): Promise<Float32Array[]>;
  close(): Promise<void>;
}

/**
 * Reads a network from faces `[batch, 3, 150, 150]`, 0–255, to descriptors `[batch, 128]`, as `convertFaceRecognition`
 * makes it.
 *
 * @param session - Of such a network.
 * @param name - Its id.
 */
export function createFaceEmbedder(session: Session, name: string): FaceEmbedder {
  return {
    name,
    async embed(chips) {
      if (!chips.length) return [];
      const chipSize = 3 * chipPx * chipPx;
      const data = new Float32Array(chips.length * chipSize);
      for (const [i, chip] of chips.entries()) data.set(chip, i * chipSize);
      const dims = [chips.length, 3, chipPx, chipPx];
      const { descriptor } = await session.run({ face: { kind: 'cpu', dims, data } });
      const size = descriptor!.data.length / chips.length;
      return chips.map((_, i) => descriptor!.data.slice(i * size, (i + 1) * size));
    },
    close: () => session.close(),
  };
}
