import * as v from 'valibot';
import { contentSchema } from './content.js';
import type { Diagnostics } from './diagnostics.js';
import { pixelBoxEntries, type Size } from './geometry.js';
import type { TimeRange } from './time.js';
import { diarizationSchema, transcriptionSchema } from './transcription.js';

const sec = v.pipe(v.number(), v.finite(), v.description('Seconds.'));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const clock = { video_fps: v.pipe(v.number(), v.minValue(0)), total_frames: count };

/** Shots of the source; they tile it, `end_frame` is exclusive. */
export const sceneDetectionSchema = v.object({
  model: v.string(),
  ...clock,
  scene_count: count,
  scenes: v.array(
    v.object({ scene_id: count, start_time: sec, end_time: sec, start_frame: count, end_frame: count }),
  ),
});
/** Where shots begin and end, in seconds and frames of the source; `scene_id` counts from 0. */
export type SceneDetection = v.InferOutput<typeof sceneDetectionSchema>;

/** Faces over time, in pixels of the displayed frame. */
export const faceTrackingSchema = v.object({
  model: v.string(),
  ...clock,
  width: count,
  height: count,
  track_count: count,
  tracks: v.array(
    v.object({
      face_id: count,
      person_id: v.exactOptional(count),
      person_confidence: v.exactOptional(ratio),
      first_seen: sec,
      last_seen: sec,
      boxes: v.array(
        v.object({ timestamp: sec, frame_number: count, ...pixelBoxEntries, confidence: ratio }),
      ),
    }),
  ),
});
/**
 * Faces over time: one track per face, with a box for each frame in which the face is seen. Boxes in pixels
 * of the displayed frame, times in seconds, `confidence` 0–1. Tracks with the same `person_id` show the same person, with
 * `person_confidence` (0–1); both absent where unknown.
 */
export type FaceTracking = v.InferOutput<typeof faceTrackingSchema>;

/** Who speaks when; the service's own layout (spec §2.6). */
export const activeSpeakerSchema = v.object({
  model: v.literal('active_speaker'),
  ...clock,
  track_count: count,
  tracks: v.array(
    v.object({
      face_id: count,
      first_seen: sec,
      last_seen: sec,
      speaking_fraction: ratio,
      scores: v.array(
        v.object({
          timestamp: sec,
          frame_number: count,
          score: v.number(),
          speaking: v.boolean(),
          confidence: v.exactOptional(ratio),
        }),
      ),
    }),
  ),
});
/**
 * Who speaks when: for each face the `speaking_fraction` (0–1 of its frames) and, frame by frame, the
 * decision `speaking`, the raw `score` of the model, and the `confidence`: the calibrated probability (0–1) that this face
 * speaks then, absent from results of those who do not say it.
 */
export type ActiveSpeaker = v.InferOutput<typeof activeSpeakerSchema>;

/** The analysis parts by their `model_type`; a part that was not asked for is absent. */
export const analysisPartsSchema = v.object({
  scene_detection: v.exactOptional(sceneDetectionSchema),
  face_tracking_yolov8: v.exactOptional(faceTrackingSchema),
  active_speaker: v.exactOptional(activeSpeakerSchema),
  content: v.exactOptional(contentSchema),
  transcription: v.exactOptional(transcriptionSchema),
  diarization: v.exactOptional(diarizationSchema),
});
/** What an analysis computes, part by part; a part that was not asked for is absent. */
export type AnalysisParts = v.InferOutput<typeof analysisPartsSchema>;
/** Name of a part, as `want` and `have` take it. */
export type PartName = keyof AnalysisParts;

/** Version of the envelope around the parts; rises when a part's meaning changes. */
export const resultVersion = 1;

/** What an analysis gives: the parts hold wire fields only; how they came to be stands beside them. */
export type AnalysisResult = {
  /** {@link resultVersion} at the time of the analysis. */
  readonly version: number;
  /** The wire parts that were asked for, and those that were handed in as `have`. */
  readonly parts: AnalysisParts;
  /** Frames that were looked at: all of the source, or those of the asked range. */
  readonly range: { readonly firstFrame: number; readonly frameCount: number };
  /** Displayed size of the source in pixels. */
  readonly size: Size;
  /** When a voice is heard, on screen or off; absent unless `active_speaker` was computed. */
  readonly speech?: readonly TimeRange[];
  /** What ran where, why, and for how long. */
  readonly diagnostics: Diagnostics;
};

/**
 * What is known in the middle of an analysis. `range` covers the frames that are settled; the parts are preliminary:
 * face ids may differ from those of the result, and who speaks is decided from less.
 */
export type PartialResult = Pick<AnalysisResult, 'parts' | 'range' | 'size' | 'speech'>;

/** What a plan needs of an analysis; the envelope around the parts may be left out when they tell enough. */
export type PlannableResult = Pick<AnalysisResult, 'parts'> &
  Partial<Pick<AnalysisResult, 'range' | 'size' | 'speech'>>;
