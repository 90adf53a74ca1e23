import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Keyframe, Layout, Segment } from '../../schema/plan.js';
import { centre } from '../box.js';
import { lerp, median } from '../series.js';
import { type CameraKey, followFocus, holdStill, windowAround } from './camera.js';
import { bystandersOf } from './compose.js';
import { explain } from './explain.js';
import { type Focus, focusOn, focusOnAll, joinFocus } from './focus.js';
import { cropForFace, defaultLayoutOptions, fitOutput, nominalCrop } from './layout.js';
import type { Piece } from './piece.js';
import { cutPieces, extend, type ShotScene } from './pieces.js';

/** A shot without any face that is shorter is not worth another layout. Seconds. */
const minFitSec = 1;

/** Plans one shot: cuts it into pieces, finds a window for each and says why. Segments tile the shot. */
export function frameShot(scene: ShotScene, output: Size): Segment[] {
  const pieces = joinNear(cutPieces(scene), scene, output);
  const segments = pieces.map(piece => framePiece(piece, scene, output));
  return scene.request.layout === 'fit' ? joinFit(segments) : segments;
}

/** Joins neighbouring pieces whose faces one unmoving window can hold: a cut between them would be a jump. */
function joinNear(pieces: readonly Piece[], scene: ShotScene, output: Size): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.view.kind === 'faces' && piece.view.kind === 'faces' && !piece.reason && !last.reason) {
      const both = extend(last, piece);
      if (both.view.kind === 'faces') {
        const focus = focusOn(both.view.stretches, scene.faces);
        if (holdStill(focus, { crop: cropFor(focus, scene, output), source: scene.timeline })) {
          joined[joined.length - 1] = both;
          continue;
        }
      }
    }
    joined.push(piece);
  }
  return joined;
}

function framePiece(piece: Piece, scene: ShotScene, output: Size): Segment {
  const { timeline, shot, request } = scene;
  const layout = layoutOf(piece, scene, output);
  const shared = {
    scene_id: shot.sceneId,
    start_frame: shot.start + piece.start,
    end_frame: shot.start + piece.end,
    layout,
    ...explain(piece, layout, scene),
  };
  const key = (at: number, box: { x: number; y: number } & Size): Keyframe => {
    const frame_number = shared.start_frame + at;
    const corner = { x: round(box.x), y: round(box.y) };
    return {
      frame_number,
      timestamp: timeline.timeSec(frame_number),
      ...corner,
      // Rounded sides must not reach over the source's edge.
      width: Math.min(round(box.width), timeline.width - corner.x),
      height: Math.min(round(box.height), timeline.height - corner.y),
    };
  };
  if (layout === 'fit') {
    const whole = key(0, { x: 0, y: 0, width: timeline.width, height: timeline.height });
    return {
      ...shared,
      background: request.background,
      panels: [{ output: fitOutput(timeline, output), keyframes: [whole] }],
    };
  }
  const { crop, keys } = shoot(piece, scene, output);
  const framed = piece.view.kind === 'faces' ? mainFace(piece.view.stretches, scene) : undefined;
  return {
    ...shared,
    panels: [
      {
        ...(framed === undefined ? {} : { face_id: framed }),
        output: { x: 0, y: 0, width: output.width, height: output.height },
        keyframes: keys.map(({ at, x, y }) => key(at, { x, y, ...crop })),
      },
    ],
  };
}

/** `fit` only where asked for, where there is nothing to frame, or where no window can hold what matters. */
function layoutOf(piece: Piece, scene: ShotScene, output: Size): Layout {
  const { request, timeline, stepSec, shot } = scene;
  if (piece.layout) return piece.layout;
  if (piece.view.kind === 'box') return 'single';
  if (request.layout !== 'auto') return request.layout;
  const nominal = nominalCrop(timeline, output);
  if (piece.view.kind === 'none') {
    const whole = nominal.width >= timeline.width - 0.5 && nominal.height >= timeline.height - 0.5;
    const flash = (shot.end - shot.start) * stepSec < minFitSec;
    return whole || flash ? 'single' : 'fit';
  }
  if (piece.view.kind === 'all') {
    const focus = focusOnAll(piece, scene.faces);
    return holdStill(focus, { crop: nominal, source: timeline }) ? 'single' : 'fit';
  }
  if (piece.view.kind === 'faces' && piece.reason !== 'override') {
    const widest = median(focusOn(piece.view.stretches, scene.faces).width);
    return widest > defaultLayoutOptions.maxFaceWidthRatio * nominal.width ? 'fit' : 'single';
  }
  return 'single';
}

/** The window and its path for a piece whose layout is `single`. */
function shoot(piece: Piece, scene: ShotScene, output: Size): { crop: Size; keys: CameraKey[] } {
  const { timeline, request, stepSec, faces, weights } = scene;
  const { view } = piece;
  const nominal = nominalCrop(timeline, output);
  if (view.kind === 'box') {
    const { x, y, ...crop } = windowAround(view.box, nominal, timeline);
    if (!view.move) return { crop, keys: [{ at: 0, x, y }] };
    const { endBox, start, end } = view.move;
    // The same size all the way: only where its middle goes counts.
    const to = windowAround(centredOn(endBox, crop), nominal, timeline);
    const at = (frame: number) => {
      const ratio = (frame - start) / (end - start);
      return { at: frame - piece.start, x: lerp(x, to.x, ratio), y: lerp(y, to.y, ratio) };
    };
    // The last frame is as near to the end as a frame is: the next override begins there.
    return { crop, keys: [at(piece.start), ...(piece.end - piece.start > 1 ? [at(piece.end - 1)] : [])] };
  }
  if (view.kind === 'all' && faces.length) {
    const focus = focusOnAll(piece, faces);
    const still = holdStill({ ...focus, moves: false }, { crop: nominal, source: timeline });
    if (still) return { crop: nominal, keys: [{ at: 0, ...still }] };
  }
  if (view.kind !== 'faces') {
    const corner = { x: (timeline.width - nominal.width) / 2, y: (timeline.height - nominal.height) / 2 };
    return { crop: nominal, keys: [{ at: 0, ...corner }] };
  }
  const own = focusOn(view.stretches, faces);
  const crop = cropFor(own, scene, output);
  // Whoever else speaks meanwhile is taken into the picture where one window holds them all.
  const speakers = joinFocus(own, piece, { faces, weights, minFrames: 0.5 / stepSec });
  const shooting = { crop, source: timeline, stepSec, bystanders: bystandersOf(piece, faces) };
  const together = speakers && holdStill(speakers, shooting);
  if (together) return { crop, keys: [{ at: 0, ...together }] };
  const still = request.camera === 'follow' && own.moves ? undefined : holdStill(own, shooting);
  return { crop, keys: still ? [{ at: 0, ...still }] : followFocus(own, shooting) };
}

function centredOn(box: PixelBox, { width, height }: Size): PixelBox {
  const middle = centre(box);
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}

const cropFor = (focus: Focus, { timeline }: ShotScene, output: Size): Size =>
  cropForFace(median(focus.height), { source: timeline, output });

/** The face that is framed for most of the time. */
function mainFace(stretches: readonly { start: number; end: number; face: number }[], { faces }: ShotScene) {
  const frames = new Map<number, number>();
  for (const { start, end, face } of stretches) frames.set(face, (frames.get(face) ?? 0) + end - start);
  const [face] = [...frames].sort((a, b) => b[1] - a[1])[0]!;
  return faces[face]!.faceId;
}

/** Neighbouring `fit` segments show the same picture: one is enough, unless the second is a correction. */
function joinFit(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  for (const segment of segments) {
    const last = joined.at(-1);
    if (last?.layout === 'fit' && segment.layout === 'fit' && last.reason === segment.reason)
      joined[joined.length - 1] = { ...last, end_frame: segment.end_frame };
    else joined.push(segment);
  }
  return joined;
}

/** Hundredths of a pixel: finer differences cannot be seen, and plans stay small. */
const round = (value: number) => Math.round(value * 100) / 100;
