import { countBelow, median } from '../series.js';
import { hasId, type ShotFace } from './faces.js';
import type { ShotScene } from './shot-scene.js';

/** Fewer looks than this tell nothing about a view. */
const minLooks = 3;

/**
 * To which side a face looks during a part of a shot, for most of it: −1 (left of the picture) to 1.
 *
 * @param range - Frames of the shot, `end` exclusive.
 * @returns Nothing where that is not known.
 */
export function gazeOf(
  face: ShotFace,
  { start, end }: { readonly start: number; readonly end: number },
  { content: { gazes }, shot }: Pick<ShotScene, 'content' | 'shot'>,
): number | undefined {
  const turns: number[] = [];
  const first = countBelow(gazes, shot.start + start, ({ frame_number }) => frame_number);
  for (let k = first; k < gazes.length; k++) {
    const { frame_number, face_id, turn } = gazes[k]!;
    if (frame_number >= shot.start + end) break;
    if (hasId(face, face_id)) turns.push(turn);
  }
  return turns.length < minLooks ? undefined : median(turns);
}
