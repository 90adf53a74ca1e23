import { readFileSync } from 'node:fs';

/** A true face from `startSec` to `endSec`; a moving face is a list of short ones. Box in source pixels. */
export type TrueFace = {
  readonly id: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly box: readonly [x: number, y: number, width: number, height: number];
  /** Cut off or turned away: not judged. */
  readonly partial: boolean;
};

/** A turn of a person, seen or only heard. */
export type TrueSpeech = {
  readonly id: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly onScreen: boolean;
};

/** What is true about a clip. Ground-truth time is frame / frame rate, whatever the file's timestamps say. */
export type GroundTruth = {
  readonly frameRateHz: number;
  /** Absent where only the result knows how long the clip is. */
  readonly durationSec?: number;
  readonly width?: number;
  readonly height?: number;
  /** First frames of new shots. */
  readonly cuts: readonly number[];
  /** Fades and dissolves, [first, last] frame: a boundary there is neither right nor wrong. */
  readonly softCuts: readonly (readonly [number, number])[];
  /** Silence inside coarse speech intervals, [start, end] in seconds: not judged. */
  readonly pauses: readonly (readonly [number, number])[];
  /** How exact the times are: `exact`, `high`, `medium`, `low` or unknown. */
  readonly confidence?: string;
  readonly speech: readonly TrueSpeech[];
  readonly faces: readonly TrueFace[];
};

type Box = [number, number, number, number];
type Step = [number, ...Box];
type AnnotatedClip = {
  width?: number;
  height?: number;
  r_frame_rate?: string;
  fps?: number;
  frames?: number;
  duration?: number;
  confidence?: string;
  cuts_first_frame?: number[];
  hard_cuts?: number[];
  soft_cuts?: (number | [number, number])[];
  fade_cuts?: (number | [number, number])[];
  pauses?: [number, number][];
  speech?: { id: string; start: number; end: number; on_screen?: boolean }[];
  faces?: {
    id: string;
    start: number;
    end: number;
    box_xywh: Box;
    track?: Step[];
    partial?: boolean;
    pose?: string;
  }[];
};
type Composite = {
  fps: number;
  duration: number;
  width: number;
  height: number;
  cuts: { frame: number }[];
  pauses?: [number, number][];
  speech: { id: string; start: number; end: number; visible?: boolean }[];
  shots: { start: number; end: number; faces: { id: string; box_median: Box; track?: Step[] }[] }[];
};

/**
 * Reads ground truth from a file: a composite's own JSON, or an annotations file together with the clip's key.
 *
 * @throws RangeError where the annotations do not know the clip.
 */
export function readGroundTruth(path: string, clip?: string): GroundTruth {
  const json: unknown = JSON.parse(readFileSync(path, 'utf8'));
  if (clip === undefined) return fromComposite(json as Composite);
  const annotated = (json as { clips: Record<string, AnnotatedClip> }).clips[clip];
  if (!annotated) throw new RangeError(`${path} has no clip ${clip}`);
  return fromAnnotations(annotated);
}

function fromAnnotations(clip: AnnotatedClip): GroundTruth {
  const [rate, divisor] = String(clip.r_frame_rate ?? clip.fps ?? 25).split('/');
  const frameRateHz = Number(rate) / Number(divisor ?? 1);
  const durationSec = clip.duration || (clip.frames ? clip.frames / frameRateHz : undefined);
  return {
    frameRateHz,
    ...(durationSec === undefined ? {} : { durationSec }),
    ...(clip.width && clip.height ? { width: clip.width, height: clip.height } : {}),
    cuts: clip.cuts_first_frame ?? clip.hard_cuts ?? [],
    // A soft cut given as one frame is uncertain by half a second at usual rates.
    softCuts: [...(clip.soft_cuts ?? []), ...(clip.fade_cuts ?? [])].map(cut =>
      typeof cut === 'number' ? [cut - 12, cut + 12] : cut,
    ),
    pauses: clip.pauses ?? [],
    ...(clip.confidence === undefined ? {} : { confidence: clip.confidence }),
    speech: (clip.speech ?? []).map(({ id, start, end, on_screen }) => ({
      id,
      startSec: start,
      endSec: end,
      onScreen: on_screen ?? true,
    })),
    faces: (clip.faces ?? []).flatMap(face =>
      steps(
        face.id,
        face.track?.length ? face.track : [[face.start, ...face.box_xywh]],
        face.end,
        face.partial === true || (face.pose ?? '').includes('back'),
      ),
    ),
  };
}

function fromComposite(composite: Composite): GroundTruth {
  return {
    frameRateHz: composite.fps,
    durationSec: composite.duration,
    width: composite.width,
    height: composite.height,
    cuts: composite.cuts.map(cut => cut.frame),
    softCuts: [],
    pauses: composite.pauses ?? [],
    confidence: 'exact',
    speech: composite.speech.map(({ id, start, end, visible }) => ({
      id,
      startSec: start,
      endSec: end,
      onScreen: visible ?? true,
    })),
    faces: composite.shots.flatMap(shot =>
      shot.faces.flatMap(face =>
        steps(face.id, face.track?.length ? face.track : [[shot.start, ...face.box_median]], shot.end, false),
      ),
    ),
  };
}

/** One face per step of a track; each holds until the next. */
const steps = (id: string, track: readonly Step[], endSec: number, partial: boolean): TrueFace[] =>
  track.map(([startSec, ...box], i) => ({ id, startSec, endSec: track[i + 1]?.[0] ?? endSec, box, partial }));
