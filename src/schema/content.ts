import * as v from 'valibot';
import { pixelBoxEntries } from './geometry.js';

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const sec = v.pipe(v.number(), v.finite());
const ratio = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
/** A box in one frame; how sure it is, 0–1. */
const seenBox = v.object({ frame_number: count, timestamp: sec, ...pixelBoxEntries, confidence: ratio });

/** What is in the picture beside faces, shot by shot; boxes in pixels of the displayed frame. */
export const contentSchema = v.object({
  model: v.literal('content'),
  video_fps: v.pipe(v.number(), v.minValue(0)),
  total_frames: count,
  width: count,
  height: count,
  shots: v.array(
    v.object({
      scene_id: count,
      start_frame: count,
      end_frame: count,
      /** The picture without its bars. */
      picture: v.object(pixelBoxEntries),
      bars: v.picklist(['none', 'black', 'white', 'blurred']),
      /** Still boxes: lettering that must not be cut, and screens or slides. */
      rectangles: v.array(
        v.object({
          ...pixelBoxEntries,
          kind: v.picklist(['text', 'screen']),
          start_frame: count,
          end_frame: count,
          confidence: ratio,
        }),
      ),
      /** Where the eye goes when nobody is there, a few times a second; `confidence`: how concentrated that is. */
      motion: v.array(seenBox),
      /** Heads that were faces and have turned away. */
      turned: v.array(v.object({ face_id: count, boxes: v.array(seenBox) })),
      /**
       * Where faces look, a few times a second, in time order: how far the nose lies off the middle of the eyes, in
       * distances of the eyes, −1 (to the left of the picture) to 1 (to its right). Results of earlier versions have none.
       */
      gazes: v.exactOptional(
        v.array(
          v.object({
            face_id: count,
            frame_number: count,
            timestamp: sec,
            turn: v.pipe(v.number(), v.minValue(-1), v.maxValue(1)),
          }),
        ),
      ),
    }),
  ),
});
/**
 * What is in the picture beside faces: the `picture` without bars, text and screens that must not be cut (`rectangles`),
 * where something moves and stands out (`motion`), heads that have turned away from the camera (`turned`), and to which side
 * faces look (`gazes`). Boxes in pixels of the displayed frame, `end_frame` exclusive, `confidence` 0–1.
 */
export type Content = v.InferOutput<typeof contentSchema>;
