import type { ShotScene } from './shot-scene.js';

/** Stretches shorter than this are joined with their neighbour. Seconds. */
const minStretchSec = 0.08;
/** Levels of a probability: a stretch ends where it goes from one to another, and stays there. */
const levels = [0.25, 0.55, 0.8];
/** What a probability must go beyond a level, and over how many seconds it is taken. */
const [levelMargin, levelSec] = [0.06, 0.5];

/**
 * Frames of a shot at which the view may change: somebody begins or ends to speak, comes or goes, becomes more or less
 * likely to be the one who speaks, a screen comes or goes, a panel has been open for long enough.
 *
 * @returns Rising, from 0 to the shot's length.
 */
export function changePoints(scene: ShotScene): number[] {
  const { faces, weights, content, shot, stepSec, planWeights, isNewPanel } = scene;
  const length = shot.end - shot.start;
  const points = new Set<number>();
  faces.forEach((face, f) => {
    for (const values of [weights[f]!, face.present]) {
      let before = 0;
      for (let i = 0; i < values.length; i++) {
        if (values[i] !== before) points.add(face.first + i);
        before = values[i]!;
      }
      if (before) points.add(face.first + values.length);
    }
  });
  const edges = [...points].sort((a, b) => a - b);
  const near = levelSec / stepSec;
  for (const point of faces.flatMap((_, f) => levelChanges(scene, f)))
    if (!isNear(edges, point, near)) points.add(point);
  for (const { start, end } of content.screens) {
    points.add(start);
    points.add(end);
  }
  if (isNewPanel) for (const sec of planWeights.openingSec) points.add(Math.round(sec / stepSec));
  const least = Math.max(1, minStretchSec / stepSec);
  const kept = [0];
  for (const point of [...points].sort((a, b) => a - b))
    if (point - kept.at(-1)! >= least && length - point >= least) kept.push(point);
  return [...kept, length];
}

/** Whether one of rising numbers lies less than `distance` from a point. */
function isNear(rising: readonly number[], point: number, distance: number): boolean {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rising[middle]! <= point - distance) low = middle + 1;
    else high = middle;
  }
  return low < rising.length && rising[low]! < point + distance;
}

/** Where the probability that a face speaks changes its level within a turn. */
function levelChanges({ faces, stepSec }: ShotScene, f: number): number[] {
  const { first, probability } = faces[f]!;
  const share = Math.min(1, stepSec / levelSec);
  let mean = probability[0] ?? 0;
  const levelOf = (value: number) => levels.filter(level => value >= level).length;
  // What the mean must reach, or fall below, for another level.
  const bordersOf = (level: number) => ({
    above: (levels[level] ?? 2) + levelMargin,
    below: (level ? levels[level - 1]! : -1) - levelMargin,
  });
  let borders = bordersOf(levelOf(mean));
  const found: number[] = [];
  for (let i = 0; i < probability.length; i++) {
    mean += share * (probability[i]! - mean);
    if (mean < borders.above && mean >= borders.below) continue;
    borders = bordersOf(levelOf(mean));
    found.push(first + i);
  }
  return found;
}
