import { centre } from '../box.js';
import { chooseViews } from './choose-views.js';
import { at, isThere } from './faces.js';
import { nominalCrop } from './layout.js';
import { override, spread } from './override.js';
import { joinSame, type Piece, replaceRange } from './piece.js';
import { retime } from './retime.js';
import type { ShotScene } from './shot-scene.js';

export type PieceOptions = {
  /** Without any face for at least this long there is no subject any more; until then the camera waits. Seconds. */
  readonly noSubjectSec: number;
  /** The same before the first face of a shot: there is nobody yet to wait for. A shorter view cannot be read. Seconds. */
  readonly nobodyYetSec: number;
  /** How long the camera stays where the last face was. Seconds. */
  readonly lingerSec: number;
  /** Nobody on screen speaks for at least this long before `offScreen` is followed. Seconds. */
  readonly minOffScreenSec: number;
  /** How long after a last word and before a first one `offScreen` leaves the speaker's view alone. Seconds. */
  readonly offScreenGuardSec: number;
  /** Motion less concentrated than this (mean over the stretch, 0–1) is no subject. */
  readonly minMotion: number;
  /** Motion less concentrated than that, but no less than this, is one where a window could hold it all through. */
  readonly minSteadyMotion: number;
  /** Such motion is no wider than this, in windows, for the share of the time that goes with it … */
  readonly steadyWidth: { readonly ratio: number; readonly share: number };
  /** … and its middle goes no further from one look to the next, 0.4 s later, for that share of the looks. */
  readonly steadyStep: { readonly ratio: number; readonly share: number };
};

export const defaultPieceOptions: PieceOptions = {
  noSubjectSec: 2.5,
  nobodyYetSec: 1.2,
  lingerSec: 0.5,
  minOffScreenSec: 1.2,
  offScreenGuardSec: 0.25,
  minMotion: 0.5,
  minSteadyMotion: 0.35,
  steadyWidth: { ratio: 0.75, share: 0.7 },
  steadyStep: { ratio: 0.5, share: 0.85 },
};

/**
 * Cuts a shot into pieces, each with one view: what is worth most, then what the caller wants for voices
 * from off screen, then the caller's corrections, which win.
 *
 * @returns Pieces that tile the shot; frames are counted from its start.
 */
export function cutPieces(scene: ShotScene, options: PieceOptions = defaultPieceOptions): Piece[] {
  const { shot, request } = scene;
  const whole = { start: 0, end: shot.end - shot.start };
  const anybody = scene.faces.some((_, f) => scene.roles[f]!.role !== 'ignore');
  let pieces: Piece[];
  if (request.camera === 'center') pieces = [{ ...whole, view: { kind: 'center' }, reason: 'center' }];
  else if (!anybody) pieces = [withoutFaces(whole, scene, options)];
  else {
    pieces = retime(chooseViews(scene), scene).map(({ start, end, view: { layout, faces } }) => ({
      start,
      end,
      view:
        layout === 'single'
          ? { kind: 'faces', stretches: [{ start, end, face: faces[0]! }] }
          : { kind: 'panels', layout, faces },
    }));
    pieces = showOffScreen(pieces, scene, options);
    for (const range of emptyRuns(scene, options))
      pieces = replaceRange(pieces, range, ({ start, end }) => withoutFaces({ start, end }, scene, options));
  }
  return joinSame(override(pieces, scene));
}

/**
 * What is shown while nobody is there: what moves and stands out, where that is concentrated or keeps its place. With
 * lettering wider than a window the picture is a title, which often is what moves.
 */
function withoutFaces(
  { start, end }: { start: number; end: number },
  { content, shot, request, output }: ShotScene,
  options: PieceOptions,
): Piece {
  const seen = content.motion.filter(
    ({ frame_number }) => frame_number >= shot.start + start && frame_number < shot.start + end,
  );
  const mean = seen.reduce((sum, { confidence }) => sum + confidence, 0) / (seen.length || 1);
  const windowWidth = nominalCrop(content.picture, output).width;
  const isTitle = content.texts.some(
    text => text.box.width > windowWidth && text.start < end && text.end > start,
  );
  const isSubject =
    !isTitle &&
    (mean >= options.minMotion || (mean >= options.minSteadyMotion && isSteady(seen, windowWidth, options)));
  return { start, end, view: { kind: request.layout !== 'fit' && isSubject ? 'motion' : 'none' } };
}

/** Whether one thing moves, and not one here and another there: a window could go along with it. */
function isSteady(
  seen: ShotScene['content']['motion'],
  windowWidth: number,
  { steadyWidth, steadyStep }: PieceOptions,
): boolean {
  const narrow = seen.filter(({ width }) => width <= steadyWidth.ratio * windowWidth);
  const near = seen.filter((box, i) => {
    const before = seen[i - 1] ?? box;
    return Math.abs(centre(box).x - centre(before).x) <= steadyStep.ratio * windowWidth;
  });
  return narrow.length >= steadyWidth.share * seen.length && near.length >= steadyStep.share * seen.length;
}

/** Stretches of the shot without any face, minus the time for which the camera lingers. */
function emptyRuns(
  { shot, faces, stepSec }: ShotScene,
  options: PieceOptions,
): { start: number; end: number }[] {
  return runs(shot.end - shot.start, i => faces.every(face => !isThere(face, i)))
    .filter(({ start, end }) => {
      const leastSec = start === 0 ? options.nobodyYetSec : options.noSubjectSec;
      return (end - start) * stepSec >= leastSec;
    })
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
    const all = faces.map((_, f) => f).filter(f => scene.roles[f]!.role !== 'ignore');
    const view: Piece['view'] =
      request.offScreen === 'wide'
        ? { kind: 'panels', layout: all.length > 1 ? 'group' : 'fit', faces: all }
        : { kind: 'faces', stretches: [{ start, end, face: longestListener(scene, run) }] };
    const reason = request.offScreen === 'wide' ? 'group' : 'reaction';
    changed = spread(changed, { start, end, view, reason });
  }
  return changed;
}

/** Whether a voice is heard for most of a range of the shot; true where nothing is known about voices. */
export function voiceHeard({ heard }: ShotScene, start: number, end: number): boolean {
  if (!heard) return true;
  let frames = 0;
  for (let i = start; i < end; i++) frames += heard[i]!;
  return frames >= (end - start) / 2;
}

/** The face on screen that is silent for the longest time around a run. */
function longestListener(
  { shot, faces, weights, roles }: ShotScene,
  run: { start: number; end: number },
): number {
  let best = 0;
  let longest = -1;
  faces.forEach((face, f) => {
    if (roles[f]!.role === 'ignore') return;
    const silent = (i: number) => !at(face, weights[f]!, i);
    let seen = 0;
    for (let i = run.start; i < run.end; i++) if (isThere(face, i)) seen++;
    if (seen < 0.8 * (run.end - run.start)) return;
    let from = run.start;
    let to = run.end;
    while (from > 0 && silent(from - 1)) from--;
    while (to < shot.end - shot.start && silent(to)) to++;
    if (to - from > longest) [best, longest] = [f, to - from];
  });
  return best;
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
