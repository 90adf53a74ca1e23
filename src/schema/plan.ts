import * as v from 'valibot';
import { pixelBoxEntries, pixelBoxSchema } from './geometry.js';

const sec = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Every layout, in the order in which they are told. */
export const layouts = [
  'single', // one crop window on one face, or on neighbours that one window holds
  'stack', // two faces, one above the other in the order in which they are on screen
  'grid-3', // one face wide over two
  'grid-4', // two rows of two faces
  'screen-speaker', // slides or a screen on top, whole; the face below
  'inset', // the screen as high as the output, the face in a corner
  'group', // one window, the widest: it holds those who matter
  'fit', // the whole picture over a fill
] as const;
export const layoutSchema = v.picklist(layouts);
/** How the output is divided among crop windows: `layouts` says what each word means. */
export type Layout = v.InferOutput<typeof layoutSchema>;

/**
 * What fills the output where no panel covers it: the picture blurred and darkened, black, one colour, or a gradient
 * between the mean colours of the two edges of the picture that face the free space.
 */
export const backgroundSchema = v.picklist(['blur', 'black', 'colour', 'gradient']);
/** What fills the output where no panel covers it; `colour` goes with a colour as `#rrggbb`, black where none is given. */
export type Background = v.InferOutput<typeof backgroundSchema>;
const hexColour = v.pipe(v.string(), v.hexColor(), v.length(7));

/**
 * What a person is in the video: who is shown while nobody speaks (`host`), one of those who are shown (`guest`, as everybody
 * who is not named), or never framed (`ignore`). `personId` is the `person_id` of face tracks; where a track has none, its
 * `face_id`. `weight` is what a second of their speech counts for, against 1 for anybody else's: default 1, for a host
 * 1.5.
 */
export const subjectSchema = v.strictObject({
  personId: count,
  role: v.picklist(['host', 'guest', 'ignore']),
  weight: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(10))),
});
/** What one person is in the video: by `personId` (else face id), with a role and a weight. */
export type Subject = v.InferOutput<typeof subjectSchema>;

/** Longest reason that an advisor may give, in UTF-16 units. */
export const maxReasonLength = 200;

/**
 * A correction, keyed by time so that it outlives another analysis: follow this face, show this box
 * (pixels of the displayed source), or use this layout from `startSec` to `endSec`. With `endBox` the window goes
 * from `box` to there on a straight line, in the size of `box`: a row of such overrides is a row of keyframes. `faceIds`
 * says which faces a `layout` shows, in the order of its panels; default those who speak most meanwhile.
 *
 * `source: 'advisor'` marks what an advisor answered, with its `reason` and `confidence` (0–1); where a person's override,
 * which has no `source`, is there at the same time, that one wins in whichever order they come.
 */
export const overrideSchema = v.pipe(
  v.strictObject({
    startSec: v.pipe(sec, v.minValue(0)),
    endSec: sec,
    faceId: v.exactOptional(count),
    box: v.exactOptional(pixelBoxSchema),
    endBox: v.exactOptional(pixelBoxSchema),
    layout: v.exactOptional(layoutSchema),
    faceIds: v.exactOptional(v.pipe(v.array(count), v.minLength(1), v.maxLength(4))),
    source: v.exactOptional(v.literal('advisor')),
    reason: v.exactOptional(v.pipe(v.string(), v.maxLength(maxReasonLength))),
    confidence: v.exactOptional(v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
  }),
  v.check(o => o.startSec < o.endSec, 'an override must end after it starts'),
  v.check(
    o => [o.faceId, o.box, o.layout].filter(x => x !== undefined).length === 1,
    'an override names exactly one of faceId, box and layout',
  ),
  v.check(o => !o.endBox || o.box !== undefined, 'endBox goes with box'),
  v.check(o => !o.faceIds || o.layout !== undefined, 'faceIds go with layout'),
  v.check(
    o => o.source !== undefined || (o.reason === undefined && o.confidence === undefined),
    'reason and confidence go with source',
  ),
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
  /**
   * Height of the output in pixels; both sides are rounded to even numbers. Bounds how far small faces are enlarged.
   * `auto`: the shorter side of the output is the one of 720, 1080, 1440 and 2160 that is nearest to the source's.
   */
  outputHeight: v.union([
    v.literal('auto'),
    v.pipe(v.number(), v.integer(), v.minValue(16), v.maxValue(8192)),
  ]),
  /** `lock`: still within a turn, cut to the next speaker; `follow`: eased pan with a dead zone; `center`: middle of the source. */
  camera: v.picklist(['lock', 'follow', 'center']),
  /** `auto`: what is worth most in each stretch; else this layout wherever there are faces or a screen for it. */
  layout: v.picklist(['auto', ...layouts]),
  /** Layouts that `auto` may use; `single` and `fit` are always among them, for want of anything else to show. */
  layouts: v.array(layoutSchema),
  /** How often the picture may change: few and long views, as editors do, or close to every turn. */
  pace: v.picklist(['calm', 'standard', 'lively']),
  /** Whom to show more, or never. Nobody needs to be named. */
  subjects: v.array(subjectSchema),
  /**
   * Whom to show while the voice comes from off screen: whoever is framed; the widest view that holds all faces;
   * the face that listens longest. Where nobody says when voices are heard, silence counts as well.
   */
  offScreen: v.picklist(['stay', 'wide', 'reaction']),
  /** What fills the frame where no panel is. */
  background: backgroundSchema,
  /** The colour of `background: 'colour'`, `#rrggbb`. */
  backgroundColour: hexColour,
  /** Gap between panels, in widths of the output. */
  gapRatio: v.pipe(v.number(), v.minValue(0), v.maxValue(0.1)),
  /** Radius of the corners of panels that do not fill the output, in widths of the output. */
  cornerRadiusRatio: v.pipe(v.number(), v.minValue(0), v.maxValue(0.5)),
  /** A slow approach of at most 8 % while one speaker has a long turn. */
  punchIn: v.boolean(),
  /**
   * Moves changes between speakers against the sound, seconds: below 0 the picture goes before the voice (J cut), above 0
   * it stays for a moment with whoever listens then (L cut). Cuts of the source stay where they are.
   */
  cutOffsetSec: v.pipe(v.number(), v.minValue(-0.3), v.maxValue(0.3)),
  overrides: v.array(overrideSchema),
});
/** What a plan is asked for; `planRequestSchema` says what each field means and in which unit. */
export type PlanRequest = v.InferOutput<typeof planRequestSchema>;

/** What {@link completePlanRequest} fills gaps with: 9:16, as large as suits the source, camera still within turns. */
export const defaultPlanRequest: PlanRequest = {
  aspect: { width: 9, height: 16 },
  outputHeight: 'auto',
  camera: 'lock',
  layout: 'auto',
  layouts: [...layouts],
  pace: 'standard',
  subjects: [],
  offScreen: 'stay',
  background: 'blur',
  backgroundColour: '#000000',
  gapRatio: 0,
  cornerRadiusRatio: 0,
  punchIn: false,
  cutOffsetSec: 0,
  overrides: [],
};

/** Why a segment shows what it shows. */
export const planReasonSchema = v.picklist([
  'speaker', // the framed face speaks
  'listener', // the framed face is silent, others speak too briefly to go to them
  'off_screen_speaker', // a voice is heard, but none of the faces says it; only where voices are known
  'reaction', // the face that listens longest, asked for by `offScreen`
  'group', // everybody at once: asked for by `offScreen`, or because all react
  'opening', // a new panel of people is shown whole before its speakers
  'exchange', // two speak in turns too short to cut between
  'crosstalk', // two speak at once for long
  'unsure', // several may speak, and the evidence does not tell which
  'screen', // slides or a screen that somebody speaks to
  'motion', // nobody is there, but something moves and stands out
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
  person_id: v.exactOptional(count),
  corner_radius: v.exactOptional(v.pipe(v.number(), v.minValue(0))),
  output: v.object(pixelBoxEntries),
  keyframes: v.pipe(v.array(keyframeSchema), v.minLength(1)),
});
/**
 * A crop window and its place: `keyframes` say what of the source is shown, `output` where in the output, in
 * output pixels; `face_id` is the face that the window follows, absent where it follows none, and `person_id` whose face
 * that is, absent where unknown. `corner_radius` rounds the corners, in output pixels (default 0).
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
  background: v.exactOptional(backgroundSchema),
  background_colour: v.exactOptional(hexColour),
  panels: v.pipe(v.array(panelSchema), v.minLength(1)),
});
/**
 * A run of frames with one layout, within one shot. `end_frame` is exclusive, frames count from the source's
 * start; `alternatives` are up to three other views. Panels are drawn in their order, later ones over earlier ones, over a
 * `background` (absent where panels cover the output). `confidence` is the calibrated probability, 0–1, that whoever
 * speaks meanwhile is seen; without speech, that the view shows what matters.
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
