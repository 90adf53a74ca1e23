import type { PixelBox } from '../../schema/geometry.js';
import type { Plan, PlanReason } from '../../schema/plan.js';
import type { AnalysisParts } from '../../schema/result.js';
import { centre, overlapArea } from '../box.js';
import { cropAtFrame } from './crop-at.js';

/** How good a plan is, judged by the analysis alone. Ratios are 0–1 and 0 where nothing could be judged. */
export type Assessment = {
  /** Share of the frames with faces in which no window holds the middle of any of them. */
  readonly emptyRatio: number;
  /** Share of the frames that frame a face in which less than 90 % of its area is inside. */
  readonly faceCutRatio: number;
  /** Share of the frames with one speaking face in which that face is framed, in a layout other than `fit`. */
  readonly speakerFramedRatio: number;
  /** Share of the frames shown as the whole picture over a fill. */
  readonly fitRatio: number;
  /** Camera movement inside segments, in window widths per second. */
  readonly travelPerSec: number;
  /** Changes of the camera's direction inside segments, per second. */
  readonly reversalsPerSec: number;
  /** Plan changes that are not on a cut, per minute. */
  readonly switchesPerMin: number;
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
};

/** What an assessment looks at. Default {@link defaultAssessOptions}. */
export type AssessOptions = {
  /** Views below this confidence are worth a look. */
  readonly minConfidence: number;
  /** Frames are judged at about this rate; the eye does not see more. */
  readonly sampleRateHz: number;
};

export const defaultAssessOptions: AssessOptions = { minConfidence: 0.55, sampleRateHz: 12.5 };

/** A quality report on a user's own clip; needs no labels, and is blind where the analysis is. */
export function assess(
  parts: AnalysisParts,
  plan: Plan,
  options: AssessOptions = defaultAssessOptions,
): Assessment {
  const stride = Math.max(1, Math.round(plan.video_fps / options.sampleRateHz));
  const durationSec = plan.frame_count / (plan.video_fps || 1) || 1;
  const faces = facesByFrame(parts, plan, stride);
  const count = { frames: 0, fit: 0, faces: 0, empty: 0, framed: 0, cut: 0, speaker: 0, speakerFramed: 0 };
  if (plan.segments.length)
    for (const [i, seen] of faces.entries()) {
      const { layout, panels } = cropAtFrame(plan, plan.first_frame + i * stride);
      const shown = (box: PixelBox) =>
        Math.max(...panels.map(panel => overlapArea(panel.source, box) / (box.width * box.height || 1)));
      count.frames++;
      if (layout === 'fit') count.fit++;
      if (!seen.length) continue;
      count.faces++;
      if (!seen.some(({ box }) => panels.some(panel => holds(panel.source, box)))) count.empty++;
      const framed = seen.find(({ faceId }) => panels.some(panel => panel.faceId === faceId));
      if (framed) {
        count.framed++;
        if (shown(framed.box) < 0.9) count.cut++;
      }
      const speakers = seen.filter(({ speaking }) => speaking);
      if (speakers.length !== 1) continue;
      count.speaker++;
      if (layout !== 'fit' && shown(speakers[0]!.box) >= 0.9) count.speakerFramed++;
    }

  const { travel, reversals } = movement(plan);
  const switches = plan.segments.filter((segment, i) => segment.scene_id === plan.segments[i - 1]?.scene_id);
  return {
    emptyRatio: share(count.empty, count.faces),
    faceCutRatio: share(count.cut, count.framed),
    speakerFramedRatio: share(count.speakerFramed, count.speaker),
    fitRatio: share(count.fit, count.frames),
    travelPerSec: round(travel / durationSec),
    reversalsPerSec: round(reversals / durationSec),
    switchesPerMin: round((switches.length * 60) / durationSec),
    lowConfidenceScenes: lowConfidence(plan, options.minConfidence),
  };
}

type SeenFace = { readonly faceId: number; readonly box: PixelBox; readonly speaking: boolean };

/** The faces of every judged frame. */
function facesByFrame(parts: AnalysisParts, plan: Plan, stride: number): SeenFace[][] {
  const frames: SeenFace[][] = Array.from({ length: Math.ceil(plan.frame_count / stride) }, () => []);
  const speaking = new Map(
    (parts.active_speaker?.tracks ?? []).map(track => [
      track.face_id,
      new Set(track.scores.filter(score => score.speaking).map(score => score.frame_number)),
    ]),
  );
  for (const { face_id, boxes } of parts.face_tracking_yolov8?.tracks ?? [])
    for (const box of boxes) {
      const i = box.frame_number - plan.first_frame;
      if (i < 0 || i % stride) continue;
      const heard = speaking.get(face_id)?.has(box.frame_number) ?? false;
      frames[i / stride]?.push({ faceId: face_id, box, speaking: heard });
    }
  return frames;
}

function holds(window: PixelBox, box: PixelBox): boolean {
  const { x, y } = centre(box);
  return x >= window.x && x <= window.x + window.width && y >= window.y && y <= window.y + window.height;
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
