import * as v from 'valibot';
import { pixelBoxEntries, pixelBoxSchema } from './geometry.js';

const sec = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const layoutSchema = v.picklist(['single', 'fit']);
/** `single`: one crop window; `fit`: the whole source over a blurred fill. */
export type Layout = v.InferOutput<typeof layoutSchema>;

/**
 * A correction, keyed by time so that it outlives another analysis: follow this face, show this box
 * (pixels of the displayed source), or use this layout from `startSec` to `endSec`. With `endBox` the window goes
 * from `box` to there on a straight line, in the size of `box`: a row of such overrides is a row of keyframes.
 */
export const overrideSchema = v.pipe(
  v.strictObject({
    startSec: v.pipe(sec, v.minValue(0)),
    endSec: sec,
    faceId: v.exactOptional(count),
    box: v.exactOptional(pixelBoxSchema),
    endBox: v.exactOptional(pixelBoxSchema),
    layout: v.exactOptional(layoutSchema),
  }),
  v.check(o => o.startSec < o.endSec, 'an override must end after it starts'),
  v.check(
    o => [o.faceId, o.box, o.layout].filter(x => x !== undefined).length === 1,
    'an override names exactly one of faceId, box and layout',
  ),
  v.check(o => !o.endBox || o.box !== undefined, 'endBox goes with box'),
);
/** A correction from `startSec` to `endSec`; exactly one of `faceId`, `box` and `layout` is given. */
export type Override = v.InferOutput<typeof overrideSchema>;

/** What a plan is asked for. Everything but the aspect has a default ({@link defaultPlanRequest}). */
export const planRequestSchema = v.strictObject({
  /** Width to height of the output, both positive. */
  aspect: v.strictObject({
    width: v.pipe(v.number(), v.gtValue(0)),
    height: v.pipe(v.number(), v.gtValue(0)),
  }),
  /** Height of the output in pixels; both sides are rounded to even numbers. Bounds how far small faces are enlarged. */
  outputHeight: v.pipe(v.number(), v.integer(), v.minValue(16), v.maxValue(8192)),
  /** `lock`: still within a turn, cut to the next speaker; `follow`: eased pan with a dead zone; `center`: middle of the source. */
  camera: v.picklist(['lock', 'follow', 'center']),
  /** `auto`: `single`, and `fit` only where no crop can hold what matters. */
  layout: v.picklist(['auto', 'single', 'fit']),
  /**
   * Whom to show while the voice comes from off screen: whoever is framed; the widest view that holds all faces;
   * the face that listens longest. Where nobody says when voices are heard, silence counts as well.
   */
  offScreen: v.picklist(['stay', 'wide', 'reaction']),
  /** What fills the frame around a `fit` picture. */
  background: v.picklist(['blur', 'black']),
  overrides: v.array(overrideSchema),
});
/** What a plan is asked for; `planRequestSchema` says what each field means and in which unit. */
export type PlanRequest = v.InferOutput<typeof planRequestSchema>;

/** What {@link completePlanRequest} fills gaps with: 9:16, 1920 pixels high, camera still within turns. */
export const defaultPlanRequest: PlanRequest = {
  aspect: { width: 9, height: 16 },
  outputHeight: 1920,
  camera: 'lock',
  layout: 'auto',
  offScreen: 'stay',
  background: 'blur',
  overrides: [],
};

/** Why a segment shows what it shows. */
export const planReasonSchema = v.picklist([
  'speaker', // the framed face speaks
  'listener', // the framed face is silent, others speak too briefly to go to them
  'off_screen_speaker', // a voice is heard, but none of the faces says it; only where voices are known
  'reaction', // the face that listens longest, asked for by `offScreen`
  'group', // the widest crop that holds the faces
  'subject', // a face is on screen, nobody speaks
  'no_subject', // no face at all
  'too_wide', // no crop can hold what matters
  'override', // asked for by the caller
  'center', // asked for by `camera: 'center'`
]);
/** Why a segment shows what it shows; `planReasonSchema` says what each word means. */
export type PlanReason = v.InferOutput<typeof planReasonSchema>;

/**
 * The crop window at a frame, in pixels of the displayed source; linear between keyframes, constant after the
 * last. The first keyframe of a panel lies on its segment's first frame and carries that frame's timestamp.
 */
export const keyframeSchema = v.object({ frame_number: count, timestamp: sec, ...pixelBoxEntries });
/** The crop window at one frame: `timestamp` in seconds, the box in pixels of the displayed source. */
export type Keyframe = v.InferOutput<typeof keyframeSchema>;

export const panelSchema = v.object({
  face_id: v.exactOptional(count),
  output: v.object(pixelBoxEntries),
  keyframes: v.pipe(v.array(keyframeSchema), v.minLength(1)),
});
/**
 * A crop window and its place: `keyframes` say what of the source is shown, `output` where in the output, in
 * output pixels; `face_id` is the face that the window follows, absent where it follows none.
 */
export type Panel = v.InferOutput<typeof panelSchema>;

export const segmentSchema = v.object({
  scene_id: count,
  start_frame: count,
  end_frame: count,
  layout: layoutSchema,
  reason: planReasonSchema,
  confidence: v.pipe(v.number(), v.minValue(0), v.maxValue(1)),
  alternatives: v.pipe(
    v.array(v.object({ layout: layoutSchema, face_id: v.exactOptional(count), score: v.number() })),
    v.maxLength(3),
  ),
  background: v.exactOptional(v.picklist(['blur', 'black'])),
  panels: v.pipe(v.array(panelSchema), v.minLength(1)),
});
/**
 * A run of frames with one layout, within one shot. `end_frame` is exclusive, frames count from the source's
 * start; `confidence` is 0–1; `alternatives` are up to three other views.
 */
export type Segment = v.InferOutput<typeof segmentSchema>;

/** The camera path. Segments tile the planned frames; `end_frame` is exclusive. */
export const planSchema = v.object({
  model: v.literal('reframe'),
  width: count,
  height: count,
  output_width: count,
  output_height: count,
  video_fps: v.number(),
  total_frames: count,
  first_frame: count,
  frame_count: count,
  segments: v.array(segmentSchema),
});
/**
 * What the output shows in every frame. `width` and `height` are those of the displayed source,
 * `output_width` and `output_height` those of the clip, in pixels; `video_fps` and `total_frames` are the
 * source's; `first_frame` and `frame_count` name the planned frames.
 */
export type Plan = v.InferOutput<typeof planSchema>;

/**
 * Fills a request's gaps and checks it.
 *
 * @throws TypeError naming the field that is wrong.
 */
export function completePlanRequest(request: Partial<PlanRequest> = {}): PlanRequest {
  const parsed = v.safeParse(planRequestSchema, { ...defaultPlanRequest, ...request });
  if (parsed.success) return parsed.output;
  const issue = parsed.issues[0];
  throw new TypeError(`plan.${v.getDotPath(issue) ?? '?'}: ${issue.message}`);
}
