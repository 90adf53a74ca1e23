import type { Advice, AdvisorQuestion } from '../../schema/advice.js';
import type { Override } from '../../schema/plan.js';
import { layoutShapes } from './layouts/layouts.js';

/**
 * An answer as an override of a plan request, for the stretch that was asked about. A layout with fewer panels than faces
 * that matter shows the first ones; panels come in the order in which faces are on screen. Where no face is named, those
 * who speak most meanwhile are shown.
 */
export function overrideOfAdvice(
  { startSec, endSec, faces }: AdvisorQuestion,
  { layout, faces: numbers, reason, confidence }: Advice,
): Override {
  const matter = numbers.slice(0, layoutShapes[layout].faces[1]);
  const faceIds = faces.filter(({ number }) => matter.includes(number)).map(({ faceId }) => faceId);
  return {
    startSec,
    endSec,
    layout,
    ...(faceIds.length > 0 && { faceIds }),
    source: 'advisor',
    reason,
    confidence,
  };
}
