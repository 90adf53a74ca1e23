import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { PackedTrack, Person } from './cast.js';
import { frameRateHz } from './layout.js';
import { createPortrait, cropSidePx, type Looks, type PortraitShape } from './portrait.js';
import { endOf, type Turn } from './turns.js';
import type { WholeClip } from './whole-clips.js';

/** A frame of a track, and its share of what is shown. */
export type Cue = { readonly track: string; readonly frame: number; readonly share: number };

/** Frames over which talking and quiet footage dissolve into each other, on the quiet side. */
const dissolveFrames = 3;

/**
 * What is shown of a person in a frame of the clip: the footage of a turn, else a quiet stretch forwards and
 * backwards, else one held frame. Next to a turn its outermost frame dissolves into the quiet one.
 */
export function cuesAt(person: Person, turns: readonly Turn[], frame: number): Cue[] {
  const own = turns.filter(turn => turn.person === person.id);
  const now = own.find(turn => turn.from <= frame && frame < endOf(turn));
  if (now) return [{ track: now.source.track, frame: now.source.from + frame - now.from, share: 1 }];
  const quiet = quietFrame(person, frame);
  let nearest: { cue: Cue; distance: number } | undefined;
  for (const { source, from, frames } of own) {
    const isBefore = frame < from;
    const distance = isBefore ? from - frame : frame - (from + frames) + 1;
    if (distance > dissolveFrames || (nearest && nearest.distance <= distance)) continue;
    const share = 1 - distance / (dissolveFrames + 1);
    nearest = {
      distance,
      cue: { track: source.track, frame: source.from + (isBefore ? 0 : frames - 1), share },
    };
  }
  return nearest ? [nearest.cue, { ...quiet, share: 1 - nearest.cue.share }] : [{ ...quiet, share: 1 }];
}

function quietFrame({ quiet, held }: Person, frame: number) {
  const longest = quiet.reduce((best, one) => (one.to - one.from > best.to - best.from ? one : best), held);
  const last = longest.to - longest.from - 1;
  const phase = last ? frame % (2 * last) : 0;
  return { track: longest.track, frame: longest.from + Math.min(phase, 2 * last - phase) };
}

export type FootageSource = {
  /** Folder of the pack. */
  readonly pack: string;
  readonly tracks: ReadonlyMap<string, PackedTrack>;
  readonly whole: ReadonlyMap<string, WholeClip>;
};

/** Pictures of one person at one size: of whole frames where there are such of all tracks, else portraits. */
export function openFootage(
  source: FootageSource,
  person: Person,
  { shape, looks }: { readonly shape: PortraitShape; readonly looks: Looks },
): (cues: readonly Cue[]) => Uint8Array {
  const isWhole = [...person.talks, ...person.quiet, person.held].every(({ track }) =>
    source.whole.has(source.tracks.get(track)!.clip),
  );
  const length = isWhole ? shape.width * shape.height : cropSidePx(shape.facePx) ** 2;
  const draw = isWhole ? (frame: Uint8Array) => frame : createPortrait(shape, looks);
  const decoded = new Map<string, Uint8Array>();
  const read = ({ track, frame }: Cue) => {
    let data = decoded.get(track);
    if (!data) decoded.set(track, (data = (isWhole ? decodeWhole : decodeCrops)(source, track, shape)));
    return data.subarray(frame * length, (frame + 1) * length);
  };
  return cues => {
    const [first, second] = cues;
    const shown = read(first!);
    if (!second) return draw(shown);
    const other = read(second);
    return draw(shown.map((value, i) => first!.share * value + second.share * other[i]!));
  };
}

function decodeCrops({ pack, tracks }: FootageSource, id: string, { facePx }: PortraitShape): Uint8Array {
  const side = cropSidePx(facePx);
  return decodeLuma(join(pack, tracks.get(id)!.video), `scale=${side}:${side}:flags=area`);
}

/** The part of whole frames around a face, scaled to the portrait's shape; what lies outside of the frame is grey. */
function decodeWhole(
  { tracks, whole }: FootageSource,
  id: string,
  { width, height, faceX, faceY, facePx }: PortraitShape,
): Uint8Array {
  const { clip, start_frame, face_px, label } = tracks.get(id)!;
  const { file, size, face } = whole.get(clip)!;
  const zoom = facePx / face_px;
  const [w, h] = size.map(side => Math.round(side * zoom));
  // Wide enough that every cut-out lies inside.
  const pad = Math.max(width, height);
  const [x, y] = [Math.round(face[0] * zoom - faceX) + pad, Math.round(face[1] * zoom - faceY) + pad];
  return decodeLuma(
    file,
    [
      `fps=${frameRateHz}`,
      `trim=start_frame=${start_frame}:end_frame=${start_frame + label.length}`,
      `scale=${w}:${h}:flags=area`,
      `pad=${w! + 2 * pad}:${h! + 2 * pad}:${pad}:${pad}:color=0x585858`,
      `crop=${width}:${height}:${x}:${y}:exact=1`,
    ].join(),
  );
}

const decodeLuma = (file: string, filter: string): Uint8Array =>
  execFileSync(
    'ffmpeg',
    ['-v', 'error', '-i', file, '-vf', filter, '-f', 'rawvideo', '-pix_fmt', 'gray', '-'],
    {
      maxBuffer: 2 ** 29,
    },
  );
