import { type Layout, layouts, type Plan, type PlanReason, type Segment } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { centre } from '../box.js';
import { type JudgedFrame, judgeFrames } from './judge-frames.js';

/** What may be wrong with a stretch of a plan. */
export type Problem =
  /** Somebody speaks, most likely, whom no window shows. */
  | 'unseen_speech'
  /** Faces are there, and none is in the picture. */
  | 'empty'
  | 'face_cut'
  /** A window follows a face that is turned away or gone. */
  | 'back'
  | 'text_cut'
  | 'bars'
  /** Drawn larger than the source's pixels bear. */
  | 'upscaled'
  /** Too short to be read. */
  | 'short';

/** How good a plan is, judged by the analysis alone. Ratios are 0–1 and 0 where nothing could be judged. */
export type Assessment = {
  /** Share of the frames with faces in which no window holds the middle of any of them. */
  readonly emptyRatio: number;
  /** Share of the frames that frame a face in which less than 90 % of its area is inside. */
  readonly faceCutRatio: number;
  /** Share of the frames with one speaking face in which that face is framed, in a layout other than `fit`. */
  readonly speakerFramedRatio: number;
  /** Expected share of the speech whose talker is seen: each second counts with the probability of each face. */
  readonly speechSeenRatio: number;
  /** Share of the frames shown as the whole picture over a fill. */
  readonly fitRatio: number;
  /** Share of the frames in each layout that is used. */
  readonly layoutRatios: Partial<Readonly<Record<Layout, number>>>;
  /** Share of the frames with a window that is enlarged more than `maxUpscale` of the options (default 2). */
  readonly upscaledRatio: number;
  /** How many output pixels a source pixel becomes at most. */
  readonly maxUpscale: number;
  /**
   * Share of the frames in which a window follows a face that is not to be seen: turned away, lost or gone. Backs that
   * never were faces are not known.
   */
  readonly backRatio: number;
  /** Share of the frames in which a window cuts through known lettering; 0 without a content part. */
  readonly textCutRatio: number;
  /** Share of the frames in which a window shows bars of the source; 0 without a content part. */
  readonly barsRatio: number;
  /** Camera movement inside segments, in window widths per second. */
  readonly travelPerSec: number;
  /** Changes of the camera's direction inside segments, per second. */
  readonly reversalsPerSec: number;
  /** Plan changes that are not on a cut, per minute. */
  readonly switchesPerMin: number;
  /** Views per minute, changes on cuts included. */
  readonly viewsPerMin: number;
  /** Length of the shortest view in seconds. */
  readonly shortestViewSec: number;
  /** Scenes to look at first: the least confident view of each, worst scenes first. */
  readonly lowConfidenceScenes: readonly {
    /** Number of the scene in the plan. */
    readonly sceneId: number;
    /** Start of the scene's least confident view, seconds of the source. */
    readonly startSec: number;
    /** Confidence of that view, 0–1. */
    readonly confidence: number;
    /** Why that view was chosen. */
    readonly reason: PlanReason;
  }[];
  /** Up to five stretches to look at first, the worst first; none in a plan without fault. */
  readonly worst: readonly {
    /** Seconds of the source. */
    readonly startSec: number;
    readonly endSec: number;
    /** What is wrong most. */
    readonly problem: Problem;
    /** How much is wrong, in seconds of speech whose talker is not seen. */
    readonly badSec: number;
  }[];
};

/** What an assessment looks at. Default {@link defaultAssessOptions}. */
export type AssessOptions = {
  /** Views below this confidence are worth a look. */
  readonly minConfidence: number;
  /** Frames are judged at about this rate; the eye does not see more. */
  readonly sampleRateHz: number;
  /** Enlarging source pixels further than this many output pixels is worth a word. */
  readonly maxUpscale: number;
};

export const defaultAssessOptions: AssessOptions = { minConfidence: 0.55, sampleRateHz: 12.5, maxUpscale: 2 };

/** A quality report on a user's own clip; needs no labels, and is blind where the analysis is. */
export function assess(
  parts: AnalysisParts,
  plan: Plan,
  options: AssessOptions = defaultAssessOptions,
): Assessment {
  const rateHz = plan.video_fps || 1;
  const stride = Math.max(1, Math.round(plan.video_fps / options.sampleRateHz));
  const durationSec = plan.frame_count / rateHz || 1;
  const frames = judgeFrames(parts, plan, stride);
  const count = (test: (frame: JudgedFrame) => boolean) => frames.filter(test).length;
  const shareOfAll = (test: (frame: JudgedFrame) => boolean) => share(count(test), frames.length);
  const sum = (value: (frame: JudgedFrame) => number) => frames.reduce((all, frame) => all + value(frame), 0);
  const upscaled = (frame: JudgedFrame) => frame.upscale > options.maxUpscale * 1.01;

  const { travel, reversals } = movement(plan);
  const switches = plan.segments.filter((segment, i) => segment.scene_id === plan.segments[i - 1]?.scene_id);
  const lengths = plan.segments.map(segment => (segment.end_frame - segment.start_frame) / rateHz);
  const used = layouts.filter(layout => plan.segments.some(segment => segment.layout === layout));
  return {
    emptyRatio: share(
      count(frame => frame.isEmpty),
      count(frame => frame.hasFaces),
    ),
    faceCutRatio: share(
      count(frame => frame.isFaceCut),
      count(frame => frame.isFramed),
    ),
    speakerFramedRatio: share(
      count(frame => frame.isSpeakerFramed),
      count(frame => frame.hasSpeaker),
    ),
    speechSeenRatio: share(
      sum(frame => frame.talkSeen),
      sum(frame => frame.talk),
    ),
    fitRatio: shareOfAll(frame => frame.layout === 'fit'),
    layoutRatios: Object.fromEntries(
      used.map(layout => [layout, shareOfAll(frame => frame.layout === layout)]),
    ),
    upscaledRatio: shareOfAll(upscaled),
    maxUpscale: round(Math.max(0, ...plan.segments.map(upscaleOf))),
    backRatio: shareOfAll(frame => frame.isBack),
    textCutRatio: shareOfAll(frame => frame.isTextCut),
    barsRatio: shareOfAll(frame => frame.hasBars),
    travelPerSec: round(travel / durationSec),
    reversalsPerSec: round(reversals / durationSec),
    switchesPerMin: round((switches.length * 60) / durationSec),
    viewsPerMin: round((plan.segments.length * 60) / durationSec),
    shortestViewSec: lengths.length ? round(Math.min(...lengths)) : 0,
    lowConfidenceScenes: lowConfidence(plan, options.minConfidence),
    worst: worstStretches(plan, frames, options),
  };
}

/** How many output pixels a source pixel becomes at most in a segment. */
const upscaleOf = ({ panels }: Segment): number =>
  Math.max(
    ...panels.flatMap(({ output, keyframes }) => keyframes.map(key => output.height / (key.height || 1))),
  );

/** What a second of each fault counts for, against 1 for a second of speech whose talker is not seen. */
const faultWeights: Readonly<Record<Problem, number>> = {
  unseen_speech: 1,
  empty: 1,
  face_cut: 0.6,
  back: 0.5,
  text_cut: 0.3,
  bars: 0.3,
  upscaled: 0.15,
  short: 1,
};
/** A view that is shorter than this is too short to be read. Seconds. */
const shortViewSec = 0.8;
/** What counts for less is not worth a look. Seconds. */
const leastFaultSec = 0.2;

/** Of the expected speech so much may be unseen, as nobody is ever sure. */
const usualDoubt = 0.15;
const unseenTalk = ({ talk, talkSeen }: JudgedFrame): number => {
  const unseen = talk - talkSeen;
  return unseen > usualDoubt * talk ? unseen : 0;
};

/** The five segments in which most is wrong, the worst first, each with what is wrong most. */
function worstStretches(
  plan: Plan,
  frames: readonly JudgedFrame[],
  { maxUpscale, sampleRateHz }: AssessOptions,
): Assessment['worst'] {
  const stride = Math.max(1, Math.round(plan.video_fps / sampleRateHz));
  const sec = stride / (plan.video_fps || 1);
  return plan.segments
    .map(segment => {
      const first = Math.ceil((segment.start_frame - plan.first_frame) / stride);
      const last = Math.ceil((segment.end_frame - plan.first_frame) / stride);
      const own = frames.slice(first, last);
      const lengthSec = (segment.end_frame - segment.start_frame) / (plan.video_fps || 1);
      const count = (test: (frame: JudgedFrame) => boolean) => own.filter(test).length * sec;
      const faults: Readonly<Record<Problem, number>> = {
        unseen_speech: own.reduce((all, frame) => all + unseenTalk(frame), 0) * sec,
        empty: count(frame => frame.isEmpty),
        face_cut: count(frame => frame.isFaceCut),
        back: count(frame => frame.isBack),
        text_cut: count(frame => frame.isTextCut),
        bars: count(frame => frame.hasBars),
        upscaled: count(frame => frame.upscale > maxUpscale * 1.01),
        short: lengthSec < shortViewSec ? shortViewSec - lengthSec : 0,
      };
      const weighed = (Object.entries(faults) as [Problem, number][])
        .map(([problem, value]) => ({ problem, value: value * faultWeights[problem] }))
        .sort((a, b) => b.value - a.value);
      const startSec = segment.panels[0]!.keyframes[0]!.timestamp;
      return {
        startSec,
        endSec: round(startSec + lengthSec),
        problem: weighed[0]!.problem,
        badSec: round(weighed.reduce((all, { value }) => all + value, 0)),
      };
    })
    .filter(({ badSec }) => badSec >= leastFaultSec)
    .sort((a, b) => b.badSec - a.badSec)
    .slice(0, 5);
}

/** Way of the windows inside segments, in window widths, and how often they turn round. */
function movement(plan: Plan): { travel: number; reversals: number } {
  let travel = 0;
  let reversals = 0;
  for (const { panels } of plan.segments)
    for (const { keyframes } of panels) {
      let direction = 0;
      for (let i = 1; i < keyframes.length; i++) {
        const from = keyframes[i - 1]!;
        const to = keyframes[i]!;
        const across = centre(to).x - centre(from).x;
        travel += Math.hypot(across, centre(to).y - centre(from).y) / to.width;
        // Half a pixel is rounding, not movement.
        if (Math.abs(across) < 0.5) continue;
        if (direction && Math.sign(across) !== direction) reversals++;
        direction = Math.sign(across);
      }
    }
  return { travel, reversals };
}

function lowConfidence(plan: Plan, minConfidence: number): Assessment['lowConfidenceScenes'] {
  const worst = new Map<number, Assessment['lowConfidenceScenes'][number]>();
  for (const { scene_id, confidence, reason, panels } of plan.segments) {
    if (confidence >= minConfidence || confidence >= (worst.get(scene_id)?.confidence ?? 1)) continue;
    const startSec = panels[0]!.keyframes[0]!.timestamp;
    worst.set(scene_id, { sceneId: scene_id, startSec, confidence, reason });
  }
  return [...worst.values()].sort((a, b) => a.confidence - b.confidence);
}

const round = (value: number) => Math.round(value * 1e4) / 1e4;
const share = (part: number, whole: number) => (whole ? round(part / whole) : 0);
