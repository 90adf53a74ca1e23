import type { PlanRequest } from '../../schema/plan.js';
import { at, isSeen, type ShotFace } from './faces.js';
import { type Piece, replaceRange } from './piece.js';
import { chooseSubjects } from './subject.js';
import type { PlanScope, Shot, Timeline } from './timeline.js';

export type PieceOptions = {
  /** Without any face for at least this long there is no subject any more; until then the camera waits. Seconds. */
  readonly noSubjectSec: number;
  /** How long the camera stays where the last face was. Seconds. */
  readonly lingerSec: number;
  /** Nobody on screen speaks for at least this long before `offScreen` is followed. Seconds. */
  readonly minOffScreenSec: number;
  /** How long after a last word and before a first one `offScreen` leaves the speaker's view alone. Seconds. */
  readonly offScreenGuardSec: number;
};

export const defaultPieceOptions: PieceOptions = {
  noSubjectSec: 2.5,
  lingerSec: 0.5,
  minOffScreenSec: 1.2,
  offScreenGuardSec: 0.25,
};

/** One shot with everything known about it. */
export type ShotScene = {
  readonly shot: Shot;
  readonly faces: readonly ShotFace[];
  /** One array per face, see `weighSpeech`. */
  readonly weights: readonly Float32Array[];
  readonly stepSec: number;
  readonly timeline: Timeline;
  readonly request: PlanRequest;
  readonly speech?: PlanScope['speech'];
};

/**
 * Cuts a shot into pieces, each with one view: the chosen subjects, then what the caller wants for voices
 * from off screen, then the caller's corrections, which win.
 *
 * @returns Pieces that tile the shot; frames are counted from its start.
 */
export function cutPieces(scene: ShotScene, options: PieceOptions = defaultPieceOptions): Piece[] {
  const { shot, faces, request } = scene;
  const whole = { start: 0, end: shot.end - shot.start };
  let pieces: Piece[];
  if (request.camera === 'center') pieces = [{ ...whole, view: { kind: 'center' }, reason: 'center' }];
  else if (!faces.length) pieces = [{ ...whole, view: { kind: 'none' } }];
  else {
    pieces = chooseSubjects({ ...scene, frameCount: whole.end, width: scene.timeline.width }).map(
      stretch => ({
        start: stretch.start,
        end: stretch.end,
        view: { kind: 'faces', stretches: [stretch] },
      }),
    );
    pieces = showOffScreen(pieces, scene, options);
    for (const range of emptyRuns(scene, options))
      pieces = replaceRange(pieces, range, ({ start, end }) => ({ start, end, view: { kind: 'none' } }));
  }
  return joinSame(override(pieces, scene));
}

/** Stretches of the shot without any face, minus the time for which the camera lingers. */
function emptyRuns(
  { shot, faces, stepSec }: ShotScene,
  options: PieceOptions,
): { start: number; end: number }[] {
  return runs(shot.end - shot.start, i => faces.every(face => !isSeen(face, i)))
    .filter(run => (run.end - run.start) * stepSec >= options.noSubjectSec)
    .map(run => ({
      ...run,
      start: run.start === 0 ? 0 : run.start + Math.round(options.lingerSec / stepSec),
    }));
}

/** Follows `offScreen` where nobody on screen speaks: while a voice is heard, if the scope says when. */
function showOffScreen(pieces: readonly Piece[], scene: ShotScene, options: PieceOptions): Piece[] {
  const { request, faces, weights, stepSec } = scene;
  if (request.offScreen === 'stay' || faces.length < 2) return [...pieces];
  const length = scene.shot.end - scene.shot.start;
  const guard = Math.round(options.offScreenGuardSec / stepSec);
  let changed = [...pieces];
  for (const run of runs(length, i => weights.every((weight, f) => !at(faces[f]!, weight, i)))) {
    const start = run.start && run.start + guard;
    const end = run.end === length ? length : run.end - guard;
    if ((end - start) * stepSec < options.minOffScreenSec || !voiceHeard(scene, start, end)) continue;
    const view: Piece['view'] =
      request.offScreen === 'wide'
        ? { kind: 'all' }
        : { kind: 'faces', stretches: [{ start, end, face: longestListener(scene, run) }] };
    const reason = request.offScreen === 'wide' ? 'group' : 'reaction';
    const inserted: Piece = { start, end, view, reason };
    changed = [
      ...replaceRange(changed, { start, end }, piece => piece).filter(p => p.end <= start || p.start >= end),
      inserted,
    ];
    changed.sort((a, b) => a.start - b.start);
  }
  return changed;
}

/** Whether a voice is heard for most of a range of the shot; true where nothing is known about voices. */
export function voiceHeard({ speech, shot, timeline }: ShotScene, start: number, end: number): boolean {
  if (!speech) return true;
  const from = timeline.timeSec(shot.start + start);
  const to = timeline.timeSec(shot.start + end);
  const heard = speech.reduce(
    (sum, range) => sum + Math.max(0, Math.min(to, range.endSec) - Math.max(from, range.startSec)),
    0,
  );
  return heard >= (to - from) / 2;
}

/** The face on screen that is silent for the longest time around a run. */
function longestListener({ shot, faces, weights }: ShotScene, run: { start: number; end: number }): number {
  let best = 0;
  let longest = -1;
  faces.forEach((face, f) => {
    const silent = (i: number) => !at(face, weights[f]!, i);
    let seen = 0;
    for (let i = run.start; i < run.end; i++) if (isSeen(face, i)) seen++;
    if (seen < 0.8 * (run.end - run.start)) return;
    let from = run.start;
    let to = run.end;
    while (from > 0 && silent(from - 1)) from--;
    while (to < shot.end - shot.start && silent(to)) to++;
    if (to - from > longest) [best, longest] = [f, to - from];
  });
  return best;
}

/** Lays the caller's corrections over the pieces; a later one wins over an earlier one. */
function override(pieces: readonly Piece[], { request, timeline, shot, faces }: ShotScene): Piece[] {
  let changed = [...pieces];
  for (const { startSec, endSec, faceId, box, endBox, layout } of request.overrides) {
    const start = Math.max(timeline.frameAt(startSec), shot.start) - shot.start;
    const end = Math.min(timeline.frameAt(endSec), shot.end) - shot.start;
    if (start >= end) continue;
    // Counted from the shot's start too, where the override may have begun before it.
    const move = endBox && {
      endBox,
      start: timeline.frameAt(startSec) - shot.start,
      end: timeline.frameAt(endSec) - shot.start,
    };
    const face = faces.findIndex(candidate => candidate.faceId === faceId);
    // A face that is not in this shot cannot be shown: the automatic choice stays.
    if (faceId !== undefined && face < 0) continue;
    changed = replaceRange(changed, { start, end }, piece => {
      const range = { start: piece.start, end: piece.end };
      if (box) return { ...range, view: { kind: 'box', box, ...(move && { move }) }, reason: 'override' };
      if (layout) return { ...piece, layout, reason: 'override' };
      return { ...range, view: { kind: 'faces', stretches: [{ ...range, face }] }, reason: 'override' };
    });
  }
  return changed;
}

/** Joins neighbours that differ in nothing but their range. */
function joinSame(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && sameView(last, piece)) joined[joined.length - 1] = extend(last, piece);
    else joined.push(piece);
  }
  return joined;
}

const sameView = (a: Piece, b: Piece): boolean =>
  a.reason === b.reason &&
  a.layout === b.layout &&
  (a.view.kind === 'faces' && b.view.kind === 'faces'
    ? a.view.stretches.at(-1)!.face === b.view.stretches[0]!.face
    : a.view.kind === b.view.kind &&
      (a.view.kind !== 'box' || JSON.stringify(a.view) === JSON.stringify(b.view)));

/** The two neighbouring pieces as one. */
export function extend(a: Piece, b: Piece): Piece {
  if (a.view.kind !== 'faces' || b.view.kind !== 'faces') return { ...a, end: b.end };
  const stretches = [...a.view.stretches];
  for (const stretch of b.view.stretches) {
    const last = stretches.at(-1)!;
    if (last.face === stretch.face) stretches[stretches.length - 1] = { ...last, end: stretch.end };
    else stretches.push(stretch);
  }
  return { ...a, end: b.end, view: { kind: 'faces', stretches } };
}

/** The runs of indices for which a test holds. */
function runs(length: number, test: (i: number) => boolean): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let i = 0; i < length; i++) {
    if (!test(i)) continue;
    const last = found.at(-1);
    if (last?.end === i) last.end = i + 1;
    else found.push({ start: i, end: i + 1 });
  }
  return found;
}
