import { iou, overlapArea } from '../../../src/core/box.js';
import type { PixelBox } from '../../../src/schema/geometry.js';

/** What is known of one picture, in its pixels. */
export type LabelledPicture = {
  readonly file: string;
  readonly width: number;
  readonly height: number;
  readonly source: string;
  readonly isGold: boolean;
  readonly faces: readonly PixelBox[];
  /** Neither right nor wrong: detections that lie in one of these by half are not counted. */
  readonly ignored: readonly PixelBox[];
};

export type ScoredBox = PixelBox & { readonly confidence: number };

/** One counted detection: its picture's place in the list, and the longer side of the face it found, 0 for none. */
type Judged = { readonly picture: number; readonly confidence: number; readonly facePx: number };

/** Every counted detection of a set of pictures, surest first. */
export type JudgedSet = {
  readonly pictures: readonly LabelledPicture[];
  readonly detections: readonly Judged[];
};

/** Overlap at which a detection is the face. */
const minIou = 0.5;
const minIgnoredShare = 0.5;

/** Joins detections and faces: surest first, each takes the free face that it overlaps most. */
export function judgeDetections(
  pictures: readonly LabelledPicture[],
  found: ReadonlyMap<string, readonly ScoredBox[]>,
): JudgedSet {
  const detections = pictures.flatMap((picture, index) => {
    const free = new Set(picture.faces);
    return [...(found.get(picture.file) ?? [])]
      .sort((a, b) => b.confidence - a.confidence)
      .flatMap((raw): Judged[] => {
        const box = clipped(raw, picture);
        let best: PixelBox | undefined;
        for (const face of free) if (iou(box, face) > (best ? iou(box, best) : 0)) best = face;
        if (best && iou(box, best) >= minIou) {
          free.delete(best);
          return [{ picture: index, confidence: raw.confidence, facePx: longerSide(best) }];
        }
        const area = box.width * box.height;
        if (picture.ignored.some(other => overlapArea(box, other) >= minIgnoredShare * area)) return [];
        return [{ picture: index, confidence: raw.confidence, facePx: 0 }];
      });
  });
  return { pictures, detections: detections.sort((a, b) => b.confidence - a.confidence) };
}

/**
 * Average precision over all points of the curve (area under its envelope).
 *
 * @param weights - How often each picture counts.
 */
export function averagePrecision({ pictures, detections }: JudgedSet, weights: ArrayLike<number>): number {
  const total = pictures.reduce((sum, { faces }, i) => sum + faces.length * weights[i]!, 0);
  const curve: { recall: number; precision: number }[] = [];
  let right = 0;
  let counted = 0;
  for (const { picture, facePx } of detections) {
    const weight = weights[picture]!;
    counted += weight;
    if (facePx > 0) right += weight;
    if (weight > 0) curve.push({ recall: right / total, precision: right / counted });
  }
  let area = 0;
  let envelope = 0;
  for (let i = curve.length - 1; i >= 0; i--) {
    envelope = Math.max(envelope, curve[i]!.precision);
    area += envelope * (curve[i]!.recall - (curve[i - 1]?.recall ?? 0));
  }
  return area;
}

/** Share of the faces whose longer side has at least `minPx` pixels that are found at a threshold. */
export function recallAt(
  { pictures, detections }: JudgedSet,
  weights: ArrayLike<number>,
  { threshold, minPx }: { readonly threshold: number; readonly minPx: number },
): number {
  let total = 0;
  let found = 0;
  pictures.forEach(({ faces }, i) => {
    total += weights[i]! * faces.filter(face => longerSide(face) >= minPx).length;
  });
  for (const { picture, confidence, facePx } of detections)
    if (confidence >= threshold && facePx > 0 && facePx >= minPx) found += weights[picture]!;
  return found / total;
}

/** Share of the detections from a threshold on that are faces. */
export function precisionAt(
  { detections }: JudgedSet,
  weights: ArrayLike<number>,
  threshold: number,
): number {
  let right = 0;
  let total = 0;
  for (const { picture, confidence, facePx } of detections) {
    if (confidence < threshold) break;
    total += weights[picture]!;
    if (facePx > 0) right += weights[picture]!;
  }
  return right / total;
}

/** Labels end at the edge of the picture, so detections do. */
function clipped(box: PixelBox, { width, height }: LabelledPicture): PixelBox {
  const x = Math.max(0, box.x);
  const y = Math.max(0, box.y);
  return {
    x,
    y,
    width: Math.min(width, box.x + box.width) - x,
    height: Math.min(height, box.y + box.height) - y,
  };
}

const longerSide = ({ width, height }: PixelBox): number => Math.max(width, height);
