import { iou } from './box.js';
import type { Detection } from './detection.js';

/**
 * Greedy non-maximum suppression: the surest detection stays, detections that overlap it by more than
 * `maxIou` go, and so on down. Detectors answer once per cell, so one face comes several times.
 *
 * @param maxIou - Overlap that two different faces may have, 0–1.
 * @returns The kept detections, surest first.
 */
export function suppressOverlaps(detections: readonly Detection[], maxIou: number): Detection[] {
  const kept: Detection[] = [];
  for (const candidate of [...detections].sort((a, b) => b.confidence - a.confidence)) {
    if (kept.every(other => iou(candidate, other) <= maxIou)) kept.push(candidate);
  }
  return kept;
}
