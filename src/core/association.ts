import type { PixelBox } from '../schema/geometry.js';
import { centre } from './box.js';
import type { Detection } from './detection.js';

/** A track as association sees it: where its face should be now. */
export type Candidate = {
  readonly predicted: PixelBox;
  /** Seen on the sample before: chooses first and may reach far. */
  readonly isFresh: boolean;
};

/** Who may take which detection. Distances are between centres, in sizes (root of the area) of the larger box. */
export type AssociationOptions = {
  /** Least confidence of a detection that may start a track or wake a lost one. */
  readonly minStartConfidence: number;
  /** Least confidence of a detection that may continue a track seen on the sample before. */
  readonly minContinueConfidence: number;
  /** Reach of a fresh track. */
  readonly freshReachRatio: number;
  /** Reach of all others, and of everybody towards unsure detections. */
  readonly lostReachRatio: number;
  /** Greatest ratio of the sizes of box and prediction: a face does not grow faster between two samples. */
  readonly maxGrowth: number;
};

/**
 * Two thresholds as in ByteTrack: 0.45 is where YOLOv8-face was published to be cut, 0.2 still finds faces that
 * turn away. Reaches are those that lost no track on the development clips.
 */
export const defaultAssociationOptions: AssociationOptions = {
  minStartConfidence: 0.45,
  minContinueConfidence: 0.2,
  freshReachRatio: 1.2,
  lostReachRatio: 0.5,
  maxGrowth: 2,
};

/** Which candidate takes which detection; `free` are the sure detections left over, which start tracks. */
export type Association = {
  readonly matches: ReadonlyMap<number, Detection>;
  readonly free: readonly Detection[];
};

/**
 * Gives each track the detection that continues it, in three rounds: fresh tracks choose among the sure
 * detections, the other tracks among what is left within a short reach, then fresh tracks still without a
 * detection among the unsure ones.
 *
 * @see ByteTrack, https://arxiv.org/abs/2110.06864: the idea of the last round.
 */
export function associate(
  candidates: readonly Candidate[],
  detections: readonly Detection[],
  options: AssociationOptions,
): Association {
  const sure = detections.filter(({ confidence }) => confidence >= options.minStartConfidence);
  const unsure = detections.filter(
    ({ confidence }) =>
      confidence < options.minStartConfidence && confidence >= options.minContinueConfidence,
  );
  const matches = new Map<number, Detection>();
  const taken = new Set<Detection>();
  const round = (isFresh: boolean, offered: readonly Detection[], reachRatio: number) => {
    const pairs = candidates.flatMap(({ predicted, isFresh: fresh }, index) =>
      fresh !== isFresh || matches.has(index)
        ? []
        : offered.map(detection => ({
            index,
            detection,
            ratio: distanceRatio(predicted, detection, options),
          })),
    );
    // Nearest pairs first; with a handful of faces this is as good as an optimal assignment.
    for (const { index, detection, ratio } of pairs.sort((a, b) => a.ratio - b.ratio)) {
      if (ratio > reachRatio) break;
      if (matches.has(index) || taken.has(detection)) continue;
      matches.set(index, detection);
      taken.add(detection);
    }
  };
  round(true, sure, options.freshReachRatio);
  round(false, sure, options.lostReachRatio);
  round(true, unsure, options.lostReachRatio);
  return { matches, free: sure.filter(detection => !taken.has(detection)) };
}

function distanceRatio(a: PixelBox, b: PixelBox, options: AssociationOptions): number {
  // Not the width alone: a head that turns away gets narrow while it stays where it is.
  const [sizeA, sizeB] = [Math.sqrt(a.width * a.height), Math.sqrt(b.width * b.height)];
  const larger = Math.max(sizeA, sizeB);
  if (larger > options.maxGrowth * Math.min(sizeA, sizeB)) return Number.POSITIVE_INFINITY;
  const [from, to] = [centre(a), centre(b)];
  return Math.hypot(from.x - to.x, from.y - to.y) / larger;
}
