import type { PixelBox, Size } from '../../schema/geometry.js';
import type { PlanRequest, Subject } from '../../schema/plan.js';
import { overlapArea } from '../box.js';
import { nth } from '../series.js';
import { hasId, type ShotFace } from './faces.js';
import type { PlanWeights } from './plan-weights.js';
import type { ShotContent, TimedBox } from './shot-content.js';
import type { Shot, Timeline } from './timeline.js';

/** One shot with everything known about it. */
export type ShotScene = {
  readonly shot: Shot;
  readonly faces: readonly ShotFace[];
  /** What the caller says of each face's person; a guest where nothing is said. */
  readonly roles: readonly Role[];
  /** One array per face, see `weighSpeech`. */
  readonly weights: readonly Float32Array[];
  /** One array per face, see `spokenSums`. */
  readonly spoken: readonly Float64Array[];
  readonly content: ShotContent;
  /** Those of the content's screens that the planner may show of itself. */
  readonly presented: readonly TimedBox[];
  /** Whether three or more are in the shot that no earlier shot showed together. */
  readonly isNewPanel: boolean;
  readonly stepSec: number;
  readonly timeline: Timeline;
  readonly request: PlanRequest;
  readonly planWeights: PlanWeights;
  /** Pixels of the output. */
  readonly output: Size;
  /** 1 in frames of the shot in which a voice is heard; absent where nobody says that. */
  readonly heard?: Uint8Array;
};

export type Role = Required<Omit<Subject, 'personId'>>;

const hostWeight = 1.5;

/** What the caller says of a face's person, who goes by the face's id where no person is known. */
export function roleOf(face: ShotFace, subjects: readonly Subject[]): Role {
  const said = subjects.find(({ personId }) =>
    face.personId === undefined ? hasId(face, personId) : face.personId === personId,
  );
  const role = said?.role ?? 'guest';
  return { role, weight: role === 'ignore' ? 0 : (said?.weight ?? (role === 'host' ? hostWeight : 1)) };
}

/** Usual values are taken of so many frames: finer ones move a window by less than a pixel. */
const maxSamples = 20;

/** Where a face usually is during a range of its shot's frames, while it is there; nothing where it never is. */
export function usualBox(face: ShotFace, start: number, end: number): PixelBox | undefined {
  const from = Math.max(0, start - face.first);
  const to = Math.min(face.present.length, end - face.first);
  const stride = Math.max(1, Math.ceil((to - from) / maxSamples));
  const there: number[] = [];
  for (let i = from; i < to; i += stride) if (face.present[i]) there.push(i);
  if (!there.length) return undefined;
  return {
    x: usualOf(face.x, there),
    y: usualOf(face.y, there),
    width: usualOf(face.width, there),
    height: usualOf(face.height, there),
  };
}

/** The median of the values at some indices. */
function usualOf(values: Float32Array, indices: readonly number[]): number {
  const own: number[] = [];
  for (const i of indices) own.push(values[i]!);
  return nth(own, (own.length - 1) >> 1);
}

/** Screens that hold no face for the most part: such ones are panels of a broadcast or a call, which nobody presents. */
export const presentedScreens = (screens: readonly TimedBox[], faces: readonly ShotFace[]): TimedBox[] =>
  screens.filter(({ box, start, end }) =>
    faces.every(face => {
      const usual = usualBox(face, start, end);
      return !usual || overlapArea(box, usual) <= 0.5 * usual.width * usual.height;
    }),
  );
