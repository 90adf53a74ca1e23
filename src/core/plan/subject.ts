import { at, isSeen, type ShotFace } from './faces.js';

/** A run of frames with one subject; frames are counted from the shot's start, `end` exclusive. */
export type Stretch = {
  readonly start: number;
  readonly end: number;
  /** Index into the shot's faces. */
  readonly face: number;
};

export type SubjectOptions = {
  /**
   * What a switch inside a shot costs, in seconds of framed speech. The shortest turn worth showing lasts as
   * long as two switches cost.
   */
  readonly switchCostSec: number;
  /** What a second on a face that is not on screen costs while another is, in seconds of framed speech. */
  readonly absenceCost: number;
  /** How much the largest, most central and longest seen face is preferred where speech does not tell. Seconds. */
  readonly salienceSec: number;
  /** The camera is on a speaker this long before the first word, where a pause allows it. Seconds. */
  readonly leadSec: number;
  /** Longest lead before the first word, in a longer pause: speaking decisions start late. Seconds. */
  readonly maxLeadSec: number;
  /** The camera stays this long after a speaker's last word where the next turn allows it. Seconds. */
  readonly tailSec: number;
  /**
   * Where two turns overlap by less, the camera goes to the next speaker at once instead of waiting. Seconds.
   */
  readonly handoverSec: number;
  /** A view that would be shorter is given to its neighbour, if that face is there. Seconds. */
  readonly minHoldSec: number;
  /**
   * A neighbour's face may be unseen for this long of the view: detectors find people a moment late. Seconds.
   */
  readonly maxUnseenSec: number;
};

export const defaultSubjectOptions: SubjectOptions = {
  switchCostSec: 0.38,
  absenceCost: 1.5,
  salienceSec: 0.2,
  leadSec: 0.1,
  maxLeadSec: 0.3,
  tailSec: 0.15,
  handoverSec: 0.6,
  minHoldSec: 0.6,
  maxUnseenSec: 0.4,
};

/** What {@link chooseSubjects} looks at: one shot. */
export type SubjectScene = {
  /** At least one. */
  readonly faces: readonly ShotFace[];
  /** One array per face, see `weighSpeech`. */
  readonly weights: readonly Float32Array[];
  /** Frames of the shot. */
  readonly frameCount: number;
  /** Duration of one frame in seconds. */
  readonly stepSec: number;
  /** Width of the source in pixels. */
  readonly width: number;
};

/**
 * Decides whom the camera is on, within one shot: the sequence of faces that frames the most speech for the
 * fewest switches, found by dynamic programming over the whole shot. So the choice sees ahead: a shot opens
 * on the face that will speak first, an interjection is not worth two switches, and whoever is framed stays
 * framed while two speak at once.
 *
 * @returns Stretches that tile the shot; neighbours have different faces.
 */
export function chooseSubjects(
  scene: SubjectScene,
  options: SubjectOptions = defaultSubjectOptions,
): Stretch[] {
  return absorbFlashes(retime(bestSequence(scene, options), scene, options), scene, options);
}

/** Viterbi over the faces of a shot. */
function bestSequence(scene: SubjectScene, options: SubjectOptions): Stretch[] {
  const { faces, weights, frameCount: length, stepSec } = scene;
  const count = faces.length;
  const cameFrom = new Int16Array(length * count);
  let total = Float64Array.from(faces, face => salience(face, scene) * options.salienceSec);
  let next = new Float64Array(count);
  for (let i = 0; i < length; i++) {
    let best = 0;
    for (let f = 1; f < count; f++) if (total[f]! > total[best]!) best = f;
    const anyone = faces.some(face => isSeen(face, i));
    for (let f = 0; f < count; f++) {
      // Equally good: as late as possible, because whoever is framed stays framed.
      const switched = i > 0 && total[best]! - options.switchCostSec >= total[f]! - 1e-9;
      cameFrom[i * count + f] = switched ? best : f;
      const seen = isSeen(faces[f]!, i);
      const absent = anyone && !seen ? options.absenceCost : 0;
      // Words of a face that is not on screen cannot be framed.
      const spoken = seen ? at(faces[f]!, weights[f]!, i) : 0;
      next[f] = (switched ? total[best]! - options.switchCostSec : total[f]!) + (spoken - absent) * stepSec;
    }
    [total, next] = [next, total];
  }
  let face = total.indexOf(Math.max(...total));
  const stretches: Stretch[] = [];
  let end = length;
  for (let i = length - 1; i >= 0; i--) {
    const previous = cameFrom[i * count + face]!;
    if (previous !== face || i === 0) {
      stretches.push({ start: i, end, face });
      end = i;
      face = previous;
    }
  }
  return stretches.reverse();
}

/** 0–1: how much a face is the obvious subject when nobody speaks. */
function salience(
  { x, width: faceWidth, height, present, presentCount }: ShotFace,
  { width, frameCount }: SubjectScene,
): number {
  let size = 0;
  let offCentre = 0;
  for (let i = 0; i < present.length; i++) {
    if (!present[i]) continue;
    size += Math.sqrt(faceWidth[i]! * height[i]!);
    offCentre += Math.abs(x[i]! + faceWidth[i]! / 2 - width / 2);
  }
  const sizeRatio = Math.min(1, (size / presentCount / width) * 5);
  const centrality = 1 - (2 * offCentre) / presentCount / width;
  return (0.5 * sizeRatio + 0.3 * centrality + 0.2 * (presentCount / frameCount)) * 0.999;
}

/**
 * Moves each switch to where a cutter would put it. The best sequence leaves open where in a pause the switch
 * lies; here it goes just before the first word of the next speaker, later than the last word of the speaker
 * before where the pause is long enough, and never to a face that is not there yet.
 */
function retime(
  stretches: readonly Stretch[],
  { faces, weights, stepSec }: SubjectScene,
  options: SubjectOptions,
): Stretch[] {
  const frames = (sec: number) => Math.round(sec / stepSec);
  const moved = stretches.map(stretch => ({ ...stretch }));
  for (let k = 1; k < moved.length; k++) {
    const before = moved[k - 1]!;
    const after = moved[k]!;
    const speaks = (face: number, frame: number) => at(faces[face]!, weights[face]!, frame) > 0;
    // A switch away from a face that has left is already where it belongs.
    if (!isSeen(faces[before.face]!, after.start)) continue;
    let first = after.start;
    while (first < after.end && !speaks(after.face, first)) first++;
    if (first === after.end) continue;
    if (first === after.start) {
      let runStart = first;
      while (runStart > before.start && speaks(after.face, runStart - 1)) runStart--;
      if (first - runStart <= frames(options.handoverSec)) first = runStart;
      else continue;
    }
    let lastWord = first;
    while (lastWord > before.start && !speaks(before.face, lastWord - 1)) lastWord--;
    let change = Math.min(lastWord + frames(options.tailSec), first - frames(options.leadSec));
    // Without a pause there is nothing to lead into: the last word belongs to its speaker.
    change = Math.min(
      first,
      Math.max(change, lastWord, first - frames(options.maxLeadSec), before.start + 1),
    );
    while (change < first && !isSeen(faces[after.face]!, change)) change++;
    before.end = change;
    after.start = change;
  }
  return moved;
}

/** Gives views that are too short to be read to a neighbour whose face is on screen meanwhile. */
function absorbFlashes(
  stretches: readonly Stretch[],
  { faces, stepSec }: SubjectScene,
  { minHoldSec, maxUnseenSec }: SubjectOptions,
): Stretch[] {
  const kept: { start: number; end: number; face: number }[] = [];
  stretches.forEach((stretch, k) => {
    const short = (stretch.end - stretch.start) * stepSec < minHoldSec;
    const covers = (face: number) => {
      let unseen = 0;
      for (let i = stretch.start; i < stretch.end; i++) if (!isSeen(faces[face]!, i)) unseen++;
      return unseen * stepSec <= maxUnseenSec;
    };
    const before = kept.at(-1);
    const after = stretches[k + 1];
    if (before && (before.face === stretch.face || (short && covers(before.face)))) before.end = stretch.end;
    else if (short && after && covers(after.face))
      kept.push({ start: stretch.start, end: stretch.end, face: after.face });
    else kept.push({ ...stretch });
  });
  return kept;
}
