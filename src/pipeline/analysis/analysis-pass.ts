import type { ContentEvidence } from '../../core/content/content.js';
import type { DescribedLook } from '../../core/people/find-people.js';
import type { Shot } from '../../core/shot-boundaries.js';
import type { SoundEvidence } from '../../core/speaker-evidence.js';
import type { SpeechProbability } from '../../core/speech.js';
import type { FaceTrack } from '../../core/tracks.js';
import type { GreyPicture, LetterboxSpec, Picture, Sample } from '../../sampling/sampler.js';
import type { Size } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';
import type { TranscribedWord } from '../../schema/transcription.js';
import type { Stretch } from './speaker-candidates.js';

/** What a pass wants of frames, as data: what no pass wants is never read from the pixels. */
export type FrameWants = {
  /**
   * A thumbnail of every frame. `ahead`: as soon as the frame is read; such a pass takes frames before anybody knows
   * whether a shot begins with them, and helps to find that out. `in turn`: with the frame, as everything else.
   */
  readonly thumbnail?: 'ahead' | 'in turn';
  /** The letterboxed picture, for `look`: of the first frame of each shot, and whenever `stepSec` seconds have gone by. */
  readonly letterbox?: { readonly spec: LetterboxSpec; readonly stepSec: number };
  /** The brightness of the picture in this size, of the same frames as a letterboxed picture with this step. */
  readonly luma?: { readonly size: Size; readonly stepSec: number };
  /** A grey copy of the frame nearest to each tick of a clock that starts at `originSec`; the pass closes the copies. */
  readonly grey?: { readonly rateHz: number; readonly originSec: number };
  /** Parts of the picture, in colour, which the pass chooses while it takes the frame. */
  readonly parts?: true;
};

/** A frame as passes take it, one at a time and in order. */
export type SeenFrame = FrameTime & {
  /** Whether tracking should count the frame as the first of a shot; false for passes that want thumbnails ahead. */
  readonly cut: boolean;
  /** Time of the frame after; absent for the last. */
  readonly nextSec?: number;
};

/** What was read of a frame for one pass; absent is what the pass does not want of this frame. */
export type Given<Look> = {
  readonly thumbnail?: Float32Array;
  /** What `look` found. */
  readonly looked?: Look;
  /** uint8 `[height, width]`, 0–255. */
  readonly luma?: Uint8Array;
  readonly grey?: GreyPicture;
  /** Open until the pass has taken the frame. */
  readonly picture?: Pick<Picture, 'part'>;
};

/** What passes know at one moment; each contributes its own. */
export type Found = {
  readonly shots?: readonly Shot[];
  /** Absent where the faces were known before. */
  readonly tracks?: readonly FaceTrack[];
  /** How well faces fit the sound; absent where nobody listens. */
  readonly stretches?: readonly Stretch[];
  readonly speech?: SpeechProbability;
  readonly sound?: Pick<SoundEvidence, 'lips'>;
  /** As `SoundEvidence.voices`; absent where no network tells voices apart. */
  readonly voices?: SoundEvidence['voices'];
  readonly voiceSize?: number;
  /** What is said, seconds from the start of the range; absent where nobody writes it down. */
  readonly words?: readonly TranscribedWord[];
  /** What faces look like; absent where nobody tells people apart. */
  readonly looks?: readonly DescribedLook[];
  /** Absent where nobody wants to know what is there beside faces. */
  readonly content?: ContentEvidence;
};

/**
 * One way of looking at a source while its frames go by, such as finding shots or faces. A new one is a file in
 * `passes/` and a line in `open-passes.ts`.
 *
 * @typeParam Look - What one look at a letterboxed picture gives.
 */
export interface AnalysisPass<Look = unknown> {
  /** Its key in a saved state. */
  readonly name: string;
  readonly wants: FrameWants;
  /**
   * Looks at a letterboxed picture, which the caller releases when this settles. Two looks may be under way at a time;
   * `take` gets what they found.
   */
  look?(sample: Sample): Promise<Look>;
  take(frame: SeenFrame, given: Given<Look>): Promise<void>;
  /** Frames, up to the last one that was taken, whose pixels a pass that goes on from here needs again. */
  readonly kept?: readonly FrameTime[];
  /** Frames whose pixels this pass, which goes on from a saved state, needs again; `takeAgain` gets what it wants of them. */
  readonly again?: ReadonlySet<number>;
  takeAgain?(at: FrameTime, given: Pick<Given<Look>, 'grey' | 'picture'>): Promise<void>;
  /** What another pass of the same name goes on from, as plain data; not after `finish`. */
  save(): unknown;
  /**
   * What is known by now, for a preview; the answer never changes afterwards.
   *
   * @param endFrame - Boxes are final before this frame.
   */
  partial(endFrame: number): Promise<Found>;
  /** There are no more frames. Passes finish in the order in which they take frames. */
  finish(): Promise<Found>;
  close?(): Promise<void>;
}
