import * as v from 'valibot';
import type { NormBox, Size } from './geometry.js';
import { type Layout, maxReasonLength } from './plan.js';

/** Most faces that one question numbers. */
export const maxNumberedFaces = 8;
/** Longest text of {@link AdvisorQuestion.words}, in UTF-16 units. */
export const maxWordsLength = 1200;

/** Why a stretch of a plan is difficult; always several faces are there. */
export type Difficulty =
  /** Somebody speaks, and the probabilities lie in between. */
  | 'unsure'
  /** Slides or a screen want room beside the faces. */
  | 'screen'
  /** More faces than a layout has panels. */
  | 'crowd';

/** A closed question about one difficult stretch of a scene: which layout, and which faces matter. */
export type AdvisorQuestion = {
  /** Number of the scene in the plan. */
  readonly sceneId: number;
  /** The stretch, in seconds of the source. */
  readonly startSec: number;
  readonly endSec: number;
  /** When most of the numbered faces are seen; their boxes are those of this moment. Seconds of the source. */
  readonly timeSec: number;
  readonly why: readonly Difficulty[];
  /** Displayed size of the source, pixels. */
  readonly source: Size;
  /** Size of the output, pixels. */
  readonly output: Size;
  /** At most 8, from left to right, numbered from 1. `faceId` is that of the face tracks. */
  readonly faces: readonly { readonly number: number; readonly faceId: number; readonly box: NormBox }[];
  /** Where a screen is; absent where there is none that a layout could show. */
  readonly screen?: NormBox;
  /** The layouts that the planner thinks possible here; at least two. */
  readonly layouts: readonly Layout[];
  /** The layout that the plan shows for longest. */
  readonly planned: Layout;
  /** What is said meanwhile, at most 1200 characters; absent without a transcript. */
  readonly words?: string;
};

/**
 * A valid answer: one of the offered layouts, up to four different numbers of faces that matter, the most important one
 * first, why (1–200 characters), and how sure the advisor is (0–1).
 */
export type Advice = {
  readonly layout: Layout;
  readonly faces: readonly number[];
  readonly reason: string;
  readonly confidence: number;
};

const maxFaces = 4;

/**
 * Checks an answer: no field more, none less, nothing that was not offered.
 *
 * @throws TypeError naming what is wrong, never with the answer's own text.
 */
export function parseAdvice(answer: unknown, { layouts, faces }: AdvisorQuestion): Advice {
  const schema = v.strictObject({
    layout: v.picklist(layouts, 'layout is not one of those that were offered'),
    faces: v.pipe(
      v.unknown(),
      // Before its items are looked at: a list may be endless.
      v.check(list => Array.isArray(list) && list.length <= maxFaces, 'faces is no list of at most 4'),
      v.array(
        v.picklist(
          faces.map(({ number }) => number),
          'faces names a number that no face has',
        ),
      ),
      v.check(list => new Set(list).size === list.length, 'faces names a face twice'),
    ),
    reason: v.pipe(
      v.string('reason is no text'),
      v.minLength(1, 'reason is empty'),
      v.maxLength(maxReasonLength, `reason is longer than ${maxReasonLength} characters`),
    ),
    confidence: v.pipe(
      v.number('confidence is no number'),
      v.minValue(0, 'confidence is below 0'),
      v.maxValue(1, 'confidence is above 1'),
    ),
  });
  const parsed = v.safeParse(schema, answer, { abortEarly: true, abortPipeEarly: true });
  if (parsed.success) return parsed.output;
  const [{ type, message }] = parsed.issues;
  const fault = type === 'strict_object' ? 'a field is missing or unknown, or there is no object' : message;
  throw new TypeError(`the answer is not valid: ${fault}`);
}

/** What {@link parseAdvice} accepts, as JSON schema, for models that can be held to one. */
export const adviceJsonSchema = ({ layouts, faces }: AdvisorQuestion) => ({
  type: 'object',
  additionalProperties: false,
  required: ['layout', 'faces', 'reason', 'confidence'],
  properties: {
    layout: { type: 'string', enum: [...layouts] },
    faces: {
      type: 'array',
      items: { type: 'integer', enum: faces.map(({ number }) => number) },
      maxItems: maxFaces,
    },
    reason: { type: 'string', minLength: 1, maxLength: maxReasonLength },
    confidence: { type: 'number', minimum: 0, maximum: 1 },
  },
});
