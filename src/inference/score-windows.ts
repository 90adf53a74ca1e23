import { gridRateHz } from '../core/face-crops.js';
import { embeddingSize, type SpeakerModel } from './lr-asd.js';
import type { SoundEmbeddings } from './sound-embeddings.js';

/** Windows of 1…6 s, as the reference script averages them. */
const windowsSec = [1, 2, 3, 4, 5, 6] as const;
/** Frames scored together: a common multiple of all windows, so that streaming changes nothing. */
export const blockFrames = 60 * gridRateHz;
/** Wrong moments of the sound to hold against the face, in frames: far enough to be another syllable. */
const shiftsFrames = [-40, -25, -15, 15, 25, 40] as const;
/** How far scoring looks at the sound beyond both ends of a block, in frames. */
export const reachFrames = 40;

/** Scores of frames that lie next to each other. */
export type BlockScores = {
  readonly score: Float32Array;
  /** Mean score against wrong moments of the sound; NaN where none of them exists. */
  readonly shifted: Float32Array;
};

/**
 * Scores embedded faces against their own moment of the sound and against wrong ones.
 *
 * @param faces - `[frames, embeddingSize]`, the first of grid frame `first`.
 */
export async function scoreBlock(
  model: SpeakerModel,
  sound: Pick<SoundEmbeddings, 'copy' | 'knownFrames'>,
  { faces, first }: { readonly faces: Float32Array; readonly first: number },
): Promise<BlockScores> {
  const count = faces.length / embeddingSize;
  const moment = new Float32Array(faces.length);
  sound.copy(first, count, moment);
  const score = await windowedScore(model, faces, moment);
  const sum = new Float32Array(count);
  const weight = new Float32Array(count);
  for (const shift of shiftsFrames) {
    sound.copy(first + shift, count, moment);
    const scores = await windowedScore(model, faces, moment);
    for (let i = 0; i < count; i++) {
      const frame = first + i + shift;
      if (frame < 0 || frame >= sound.knownFrames) continue;
      sum[i]! += scores[i]!;
      weight[i]!++;
    }
  }
  return { score, shifted: sum.map((value, i) => (weight[i] ? value / weight[i]! : Number.NaN)) };
}

/** Mean over windows of 1…6 s, each cut from the start and scored on its own. */
export async function windowedScore(
  model: SpeakerModel,
  faces: Float32Array,
  sound: Float32Array,
): Promise<Float32Array> {
  const count = faces.length / embeddingSize;
  const total = new Float32Array(count);
  const add = async (from: number, to: number, windowFrames: number) => {
    if (from === to) return;
    const range = [from * embeddingSize, to * embeddingSize] as const;
    const scores = await model.score(faces.slice(...range), sound.slice(...range), windowFrames);
    scores.forEach((value, i) => {
      total[from + i]! += value / windowsSec.length;
    });
  };
  for (const sec of windowsSec) {
    const windowFrames = sec * gridRateHz;
    const whole = count - (count % windowFrames);
    await add(0, whole, windowFrames);
    await add(whole, count, count - whole);
  }
  return total;
}
