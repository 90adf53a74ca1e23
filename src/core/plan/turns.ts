import type { ShotFace } from './faces.js';

export type TurnOptions = {
  /** A pause of one speaker this short is part of the turn, whatever the other speakers do. Seconds. */
  readonly breathSec: number;
  /** A pause this short is part of the turn where nobody else speaks in it. Seconds. */
  readonly pauseSec: number;
  /** A turn shorter than this is an interjection. Seconds; the quality measures use the same border. */
  readonly minTurnSec: number;
  /** What a second of an interjection counts for, against 1 for a second of a turn. */
  readonly interjectionWeight: number;
};

export const defaultTurnOptions: TurnOptions = {
  breathSec: 0.36,
  pauseSec: 1,
  minTurnSec: 0.75,
  interjectionWeight: 0.45,
};

/**
 * Turns speaking decisions, which flicker, into turns: pauses are bridged, and interjections are marked down.
 * A run that touches the shot's edge counts as a turn however short, because it most likely goes on behind
 * the cut.
 *
 * @param clock - Frames of the shot, and the duration of one of them in seconds.
 * @returns For each face, one weight per frame from its `first` on: 1 within a turn, less within an interjection, else 0.
 */
export function weighSpeech(
  faces: readonly ShotFace[],
  { frameCount, stepSec }: { frameCount: number; stepSec: number },
  options: TurnOptions = defaultTurnOptions,
): Float32Array[] {
  const speakers = new Uint16Array(frameCount);
  for (const { first, speaking } of faces)
    for (let i = 0; i < speaking.length; i++) speakers[first + i]! += speaking[i]!;

  return faces.map(({ first, speaking }) => {
    const weights = new Float32Array(speaking.length);
    const runs: { start: number; end: number }[] = [];
    for (let i = 0; i < speaking.length; i++) {
      if (!speaking[i]) continue;
      const last = runs.at(-1);
      const gap = last ? i - last.end : 0;
      const bridged =
        last &&
        (gap * stepSec <= options.breathSec ||
          (gap * stepSec <= options.pauseSec &&
            !speakers.subarray(first + last.end, first + i).some(count => count > 0)));
      if (bridged) last.end = i + 1;
      else runs.push({ start: i, end: i + 1 });
    }
    for (const { start, end } of runs) {
      const atEdge = (first + start) * stepSec < 0.1 || (frameCount - first - end) * stepSec < 0.1;
      const long = atEdge || (end - start) * stepSec >= options.minTurnSec;
      weights.fill(long ? 1 : options.interjectionWeight, start, end);
    }
    return weights;
  });
}
