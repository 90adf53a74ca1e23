import { planCrop } from '../../src/core/plan/plan.js';
import { defaultPlanRequest, type Plan, type PlanRequest } from '../../src/schema/plan.js';
import type { AnalysisParts } from '../../src/schema/result.js';
import type { GroundTruth } from '../harness/ground-truth.js';

/** What the quality measures are taken of: the parts of a result and its plan. */
export type JudgedResult = { readonly parts: AnalysisParts; readonly plan?: Plan };

/** Size and length of a clip, for ground truth that does not know them. */
export type Clip = { readonly width: number; readonly height: number; readonly totalFrames: number };

/**
 * What a perfect analysis would say: true cuts, true boxes in every frame, true speakers. Faces keep one id
 * per person and shot, as trackers do.
 */
export function oracleParts(truth: GroundTruth, clip: Clip): AnalysisParts {
  const clock = { video_fps: truth.frameRateHz, total_frames: clip.totalFrames };
  const sec = (frame: number) => frame / truth.frameRateHz;
  const borders = [0, ...truth.cuts.filter(cut => cut > 0 && cut < clip.totalFrames), clip.totalFrames];
  const scenes = borders.slice(1).map((end, scene_id) => ({
    scene_id,
    start_time: sec(borders[scene_id]!),
    end_time: sec(end),
    start_frame: borders[scene_id]!,
    end_frame: end,
  }));
  type Track = NonNullable<AnalysisParts['face_tracking_yolov8']>['tracks'][number];
  type Scores = NonNullable<AnalysisParts['active_speaker']>['tracks'][number];
  const tracks = new Map<string, { face: Track; scores: Scores['scores'] }>();
  for (let frame = 0; frame < clip.totalFrames; frame++) {
    const timestamp = sec(frame);
    const scene = scenes.findIndex(({ end_frame }) => frame < end_frame);
    const seen = new Set<string>();
    for (const { id, startSec, endSec, box } of truth.faces) {
      if (timestamp < startSec || timestamp >= endSec || seen.has(id)) continue;
      seen.add(id);
      const key = `${scene} ${id}`;
      let track = tracks.get(key);
      if (!track) {
        const face = { face_id: tracks.size, first_seen: timestamp, last_seen: timestamp, boxes: [] };
        tracks.set(key, (track = { face, scores: [] }));
      }
      const [x, y, width, height] = box;
      const at = { timestamp, frame_number: frame };
      const speaking = truth.speech.some(
        turn => turn.id === id && turn.onScreen && turn.startSec <= timestamp && timestamp < turn.endSec,
      );
      track.face.boxes.push({ ...at, x, y, width, height, confidence: 1 });
      track.face.last_seen = timestamp;
      track.scores.push({ ...at, score: speaking ? 2 : -2, speaking });
    }
  }
  const all = [...tracks.values()];
  return {
    scene_detection: { model: 'oracle', ...clock, scene_count: scenes.length, scenes },
    face_tracking_yolov8: {
      model: 'oracle',
      ...clock,
      width: clip.width,
      height: clip.height,
      track_count: all.length,
      tracks: all.map(({ face }) => face),
    },
    active_speaker: {
      model: 'active_speaker',
      ...clock,
      track_count: all.length,
      tracks: all.map(({ face: { face_id, first_seen, last_seen }, scores }) => ({
        face_id,
        first_seen,
        last_seen,
        speaking_fraction: scores.filter(score => score.speaking).length / scores.length,
        scores,
      })),
    },
  };
}

/** The product's planner on a perfect analysis: what the plan could reach at best. */
export function oracle(truth: GroundTruth, clip: Clip): JudgedResult {
  const parts = oracleParts(truth, clip);
  return { parts, plan: planCrop(parts, defaultPlanRequest) };
}

/** Nobody is ever cut off, and nobody can be seen: the whole picture over a fill. */
export const alwaysFit = (parts: AnalysisParts): JudgedResult => withPlan(parts, { layout: 'fit' });

/** The two most obvious faces, whoever speaks: half of the output for each. */
export function alwaysStack(parts: AnalysisParts): JudgedResult {
  const { active_speaker: _, ...silent } = parts;
  return { parts, plan: withPlan(silent, { layout: 'stack' }).plan! };
}

/** The middle of the picture, whatever happens. */
export const alwaysCentre = (parts: AnalysisParts): JudgedResult => withPlan(parts, { camera: 'center' });

/** Jumps between the left and the right of the picture every 0.8 s: everybody is framed half of the time. */
export function pingPong(parts: AnalysisParts): JudgedResult {
  const { plan } = alwaysCentre(parts) as { plan: Plan };
  const size = plan.segments[0]!.panels[0]!.keyframes[0]!;
  const perView = Math.max(1, Math.round(0.8 * plan.video_fps));
  const segments: Plan['segments'] = [];
  for (let start = 0, left = true; start < plan.frame_count; start += perView, left = !left) {
    const middle = plan.width * (left ? 1 / 4 : 3 / 4);
    const x = Math.min(Math.max(0, middle - size.width / 2), plan.width - size.width);
    const keyframe = { ...size, x, frame_number: start, timestamp: start / plan.video_fps };
    segments.push({
      ...plan.segments[0]!,
      start_frame: start,
      end_frame: Math.min(start + perView, plan.frame_count),
      panels: [{ output: plan.segments[0]!.panels[0]!.output, keyframes: [keyframe] }],
    });
  }
  return { parts, plan: { ...plan, segments } };
}

const withPlan = (parts: AnalysisParts, request: Partial<PlanRequest>): JudgedResult => ({
  parts,
  plan: planCrop(parts, { ...defaultPlanRequest, ...request }),
});
