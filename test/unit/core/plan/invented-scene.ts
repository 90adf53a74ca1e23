import * as v from 'valibot';
import { planCrop } from '../../../../src/core/plan/plan.js';
import type { PlanScope } from '../../../../src/core/plan/timeline.js';
import type { Content } from '../../../../src/schema/content.js';
import { defaultPlanRequest, type Plan, type PlanRequest, planSchema } from '../../../../src/schema/plan.js';
import type { AnalysisParts } from '../../../../src/schema/result.js';

/** A person on an invented stage; times in seconds. */
export type Person = {
  /** Middle of the face in pixels, at a time. */
  readonly at: { x: number; y: number } | ((sec: number) => { x: number; y: number });
  /** Height of the face in pixels; it is three quarters as wide. */
  readonly size?: number;
  /** When the person is on screen; default: always. */
  readonly seen?: readonly [number, number][];
  /** When the person is marked as speaking. */
  readonly speaks?: readonly [number, number][];
  /** Probability of speaking that the analysis gives, at a time; default none. */
  readonly confidence?: (sec: number) => number;
  readonly personId?: number;
};

/** A stage without pixels: people, cuts and a clock. */
export type Stage = {
  readonly people: readonly Person[];
  readonly durationSec: number;
  readonly frameRateHz?: number;
  /** Times of cuts. Each person gets a new face id after each cut, as trackers give them. */
  readonly cuts?: readonly number[];
  readonly width?: number;
  readonly height?: number;
  /** Presentation time of a frame; default: evenly spaced. */
  readonly timeOf?: (frame: number) => number;
  /** What the content part says of the only shot; default no content part. */
  readonly content?: Partial<Omit<Content['shots'][number], 'scene_id' | 'start_frame' | 'end_frame'>>;
};

/** Face id of a person (by rank) in a shot (by rank). */
export const faceId = (person: number, shot = 0): number => shot * 100 + person;

/** What an analysis of the stage would say. */
export function analyse(
  stage: Stage,
): Required<Omit<AnalysisParts, 'content' | 'transcription' | 'diarization'>> & AnalysisParts {
  const { people, durationSec, frameRateHz = 25, cuts = [], width = 1920, height = 1080 } = stage;
  const total_frames = Math.round(durationSec * frameRateHz);
  const timeOf = stage.timeOf ?? (frame => frame / frameRateHz);
  const clock = { video_fps: frameRateHz, total_frames };
  const borders = [0, ...cuts.map(sec => Math.round(sec * frameRateHz)), total_frames];
  const within = (ranges: readonly (readonly [number, number])[], sec: number) =>
    ranges.some(([from, to]) => from <= sec + 1e-9 && sec + 1e-9 < to);
  const frames = (start: number, end: number) => Array.from({ length: end - start }, (_, i) => start + i);
  const tracks = borders.slice(1).flatMap((end, shot) =>
    people.map((person, p) => {
      const seen = frames(borders[shot]!, end).filter(frame =>
        within(person.seen ?? [[0, durationSec]], frame / frameRateHz),
      );
      return { person, face_id: faceId(p, shot), seen };
    }),
  );
  const shown = tracks.filter(track => track.seen.length);
  const span = (seen: readonly number[]) => ({
    first_seen: timeOf(seen[0]!),
    last_seen: timeOf(seen.at(-1)!),
  });
  return {
    scene_detection: {
      model: 'invented',
      ...clock,
      scene_count: borders.length - 1,
      scenes: borders.slice(1).map((end, scene_id) => ({
        scene_id,
        start_time: timeOf(borders[scene_id]!),
        end_time: timeOf(end),
        start_frame: borders[scene_id]!,
        end_frame: end,
      })),
    },
    face_tracking_yolov8: {
      model: 'invented',
      ...clock,
      width,
      height,
      track_count: shown.length,
      tracks: shown.map(({ person, face_id, seen }) => ({
        face_id,
        ...(person.personId === undefined ? {} : { person_id: person.personId }),
        ...span(seen),
        boxes: seen.map(frame => {
          const middle = typeof person.at === 'function' ? person.at(frame / frameRateHz) : person.at;
          const size = person.size ?? 250;
          return {
            timestamp: timeOf(frame),
            frame_number: frame,
            x: middle.x - (0.75 * size) / 2,
            y: middle.y - size / 2,
            width: 0.75 * size,
            height: size,
            confidence: 0.9,
          };
        }),
      })),
    },
    active_speaker: {
      model: 'active_speaker',
      ...clock,
      track_count: shown.length,
      tracks: shown.map(({ person, face_id, seen }) => {
        const scores = seen.map(frame => {
          const speaking = within(person.speaks ?? [], frame / frameRateHz);
          return {
            timestamp: timeOf(frame),
            frame_number: frame,
            score: speaking ? 2 : -2,
            speaking,
            ...(person.confidence && { confidence: person.confidence(frame / frameRateHz) }),
          };
        });
        const marked = scores.filter(score => score.speaking).length;
        return { face_id, ...span(seen), speaking_fraction: marked / scores.length, scores };
      }),
    },
    ...(stage.content && {
      content: {
        model: 'content',
        ...clock,
        width,
        height,
        shots: [
          {
            scene_id: 0,
            start_frame: 0,
            end_frame: total_frames,
            picture: { x: 0, y: 0, width, height },
            bars: 'none',
            rectangles: [],
            motion: [],
            turned: [],
            gazes: [],
            ...stage.content,
          },
        ],
      },
    }),
  };
}

/** Plans a stage, and checks on the way that the plan is one: valid, tiled, inside the source. */
export function planStage(stage: Stage, request: Partial<PlanRequest> = {}, scope?: PlanScope): Plan {
  return checked(planCrop(analyse(stage), { ...defaultPlanRequest, ...request }, scope));
}

/** Throws where a plan breaks what every plan promises. */
export function checked(plan: Plan): Plan {
  v.parse(planSchema, plan);
  let next = plan.first_frame;
  for (const { start_frame, end_frame, panels, layout } of plan.segments) {
    if (start_frame !== next || end_frame <= start_frame) throw new Error(`no tile at frame ${next}`);
    next = end_frame;
    for (const { keyframes, output } of panels) {
      const first = keyframes[0]!;
      const shape = (first.width * output.height) / (first.height * output.width);
      if (Math.abs(shape - 1) > 0.02)
        throw new Error(`${layout} is distorted at frame ${start_frame}: ${shape}`);
      if (
        output.x < 0 ||
        output.y < 0 ||
        output.x + output.width > plan.output_width ||
        output.y + output.height > plan.output_height
      )
        throw new Error(`panel leaves the output at frame ${start_frame}`);
      if (keyframes[0]!.frame_number !== start_frame) throw new Error('first keyframe not on first frame');
      if (keyframes.at(-1)!.frame_number >= end_frame) throw new Error('keyframe behind its segment');
      for (const { x, y, width, height } of keyframes)
        if (x < 0 || y < 0 || x + width > plan.width + 1e-9 || y + height > plan.height + 1e-9)
          throw new Error(`window leaves the source at frame ${start_frame}`);
    }
  }
  if (next !== plan.first_frame + plan.frame_count) throw new Error(`plan ends at frame ${next}`);
  return plan;
}

/** Start frame and framed face of every segment. */
export const views = (plan: Plan): [start: number, faceId: number | undefined][] =>
  plan.segments.map(({ start_frame, panels }) => [start_frame, panels[0]!.face_id]);
