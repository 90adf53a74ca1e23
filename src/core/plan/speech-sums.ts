import type { ShotScene } from './shot-scene.js';

/**
 * Expected frames of speech of each face up to each of its frames, interjections marked down; within a turn a pause is
 * as likely its speaker's as the turn is. Words of a face that is not on screen cannot be framed.
 *
 * @returns For each face, sums by frame from its `first` on, one more than it has frames.
 */
export function spokenSums({ faces, weights }: Pick<ShotScene, 'faces' | 'weights'>): Float64Array[] {
  return faces.map(({ probability, present, speaking }, f) => {
    const turn = weights[f]!;
    const sums = new Float64Array(probability.length + 1);
    let carried = 0;
    for (let i = 0; i < probability.length; i++) {
      if (speaking[i]) carried = probability[i]!;
      const likely = turn[i]! > 0 ? turn[i]! * Math.max(carried, probability[i]!) : probability[i]!;
      sums[i + 1] = sums[i]! + (present[i] === 1 ? likely : 0);
    }
    return sums;
  });
}

/** Frames of a shot up to each frame in which three or more speak or laugh at once. */
export function countSpeakers({ faces, weights, shot }: ShotScene): Float64Array {
  const speakers = new Uint8Array(shot.end - shot.start);
  faces.forEach(({ first }, f) => {
    weights[f]!.forEach((weight, i) => {
      if (weight > 0) speakers[first + i]!++;
    });
  });
  const sums = new Float64Array(speakers.length + 1);
  for (let i = 0; i < speakers.length; i++) sums[i + 1] = sums[i]! + (speakers[i]! >= 3 ? 1 : 0);
  return sums;
}

/** A face that is as likely as this speaks alone where the others together are no likelier than the second. */
const [sureRatio, othersRatio] = [0.85, 0.12];

/** Frames of a shot up to each frame in which one face surely speaks alone: within turns, not interjections. */
export function countSure({
  faces,
  weights,
  shot,
}: Pick<ShotScene, 'faces' | 'weights' | 'shot'>): Float64Array {
  const most = new Float32Array(shot.end - shot.start);
  const all = new Float32Array(most.length);
  const turns = new Uint8Array(most.length);
  faces.forEach(({ first, probability, present }, f) => {
    for (let i = 0; i < probability.length; i++) {
      const likely = present[i] === 1 ? probability[i]! : 0;
      const frame = first + i;
      all[frame]! += likely;
      most[frame] = Math.max(most[frame]!, likely);
      if (weights[f]![i] === 1) turns[frame]!++;
    }
  });
  const sums = new Float64Array(most.length + 1);
  for (let i = 0; i < most.length; i++) {
    const isSure = turns[i] === 1 && most[i]! >= sureRatio && all[i]! - most[i]! <= othersRatio;
    sums[i + 1] = sums[i]! + (isSure ? 1 : 0);
  }
  return sums;
}

/** The part of running sums that belongs to a range of the shot's frames; `first` is the frame of the sums' entry 0. */
export function sumWithin(sums: Float64Array, first: number, start: number, end: number): number {
  const at = (frame: number) => sums[Math.min(Math.max(0, frame - first), sums.length - 1)]!;
  return at(end) - at(start);
}
