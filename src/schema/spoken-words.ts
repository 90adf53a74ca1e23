import * as v from 'valibot';

const sec = v.pipe(v.number(), v.finite(), v.minValue(0));
const ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/** Longest piece of speech that a caller's own transcriber is given, seconds. */
export const longestSpeechSec = 30;

const spokenWordsSchema = v.array(
  v.pipe(
    v.object({
      word: v.pipe(v.string(), v.trim(), v.minLength(1)),
      start: sec,
      end: sec,
      confidence: v.exactOptional(ratio),
    }),
    v.check(({ start, end }) => start <= end, 'start must not be after end'),
  ),
);
/**
 * A word as a caller's own transcriber gives it: as it is written, punctuation included, `start` and `end` in seconds from
 * the first sample, `confidence` 0–1, default 1.
 */
export type SpokenWord = v.InferOutput<typeof spokenWordsSchema>[number];

/**
 * Writes down a piece of speech: 16 kHz mono, its peak at 1, at most 30 s, cut at pauses. Pieces come one at a time and
 * in order; silence and music never come. `language` is the BCP 47 tag that the call names, `und` where it names none.
 *
 * @returns Words in the order in which they are said; none where nothing is understood.
 */
export type TranscribeSpeech = (
  audio16k: Float32Array,
  call: { readonly signal: AbortSignal; readonly language: string },
) => Promise<readonly SpokenWord[]>;

/** @throws TypeError naming what is wrong with what a caller's transcriber gave. */
export function parseSpokenWords(value: unknown): SpokenWord[] {
  const parsed = v.safeParse(spokenWordsSchema, value);
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0]!;
  const path = v.getDotPath(issue);
  throw new TypeError(`transcriber: ${path ? `${path}: ` : ''}${issue.message}`);
}
