import * as v from 'valibot';

const sec = v.pipe(v.number(), v.finite(), v.description('Seconds.'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const speaker = v.exactOptional(v.pipe(v.string(), v.minLength(1)));

/** What is said, and when: the words, and the segments that they make. */
export const transcriptionSchema = v.object({
  model: v.string(),
  language: v.string(),
  text: v.string(),
  segments: v.array(v.object({ id: count, start: sec, end: sec, text: v.string(), speaker })),
  words: v.array(v.object({ word: v.string(), start: sec, end: sec, confidence: ratio, speaker })),
});
/**
 * What is said, and when. `language` is a BCP 47 tag; `words` are in order, as they are written, punctuation included,
 * with times in seconds and `confidence` 0–1; `segments` are runs of words between pauses, sentence ends and changes of the
 * `speaker`, which is absent where unknown.
 */
export type Transcription = v.InferOutput<typeof transcriptionSchema>;
/** A word of a {@link Transcription}. */
export type TranscribedWord = Transcription['words'][number];

/** Who is heard when, by voice. */
export const diarizationSchema = v.object({
  model: v.string(),
  speaker_count: count,
  segments: v.array(
    v.object({
      speaker: v.pipe(v.string(), v.minLength(1)),
      start: sec,
      end: sec,
      face_id: v.exactOptional(count),
      person_id: v.exactOptional(count),
      confidence: ratio,
    }),
  ),
});
/**
 * Who is heard when, by voice: segments in order of their starts, in seconds; where two speak at once two segments overlap.
 * `face_id` and `person_id` are those of the face tracks, absent for voices that are never seen; `confidence` 0–1.
 */
export type Diarization = v.InferOutput<typeof diarizationSchema>;
