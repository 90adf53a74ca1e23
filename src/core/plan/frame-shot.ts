import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Layout, Panel, Segment } from '../../schema/plan.js';
import { centre } from '../box.js';
import { lerp } from '../series.js';
import { holdStill, windowAround } from './camera.js';
import { explain } from './explain.js';
import { idAt } from './faces.js';
import { type Focus, focusOn, usual } from './focus.js';
import { framePanels, roundedIn } from './frame-panels.js';
import { cropForFace, nominalCrop } from './layout.js';
import { layoutShapes } from './layouts/layouts.js';
import { extend, type Piece, type Stretch } from './piece.js';
import { cutPieces } from './pieces.js';
import { maxFaceWidthRatio } from './plan-views.js';
import { type Path, shootFaces, shootMotion } from './shoot.js';
import type { ShotScene } from './shot-scene.js';
import { toPanel } from './to-panel.js';

/** A shot without any face that is shorter is not worth another layout. Seconds. */
const minFitSec = 1;

/** Plans one shot: cuts it into pieces, finds a window for each and says why. Segments tile the shot. */
export function frameShot(scene: ShotScene): Segment[] {
  const pieces = joinNear(cutPieces(scene), scene);
  const segments = pieces.map(piece => framePiece(piece, scene));
  return scene.request.layout === 'fit' ? joinFit(segments) : segments;
}

/** Joins neighbouring pieces whose faces one unmoving window can hold: a cut between them would be a jump. */
function joinNear(pieces: readonly Piece[], scene: ShotScene): Piece[] {
  const { stepSec, content } = scene;
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last?.view.kind === 'faces' && piece.view.kind === 'faces' && !piece.reason && !last.reason) {
      const both = extend(last, piece);
      if (both.view.kind === 'faces') {
        const focus = focusOn(both.view.stretches, scene.faces);
        if (holdStill(focus, { crop: cropFor(focus, scene), source: content.picture, stepSec })) {
          joined[joined.length - 1] = both;
          continue;
        }
      }
    }
    joined.push(piece);
  }
  return joined;
}

function framePiece(piece: Piece, scene: ShotScene): Segment {
  const { shot, request, output } = scene;
  const layout = layoutOf(piece, scene);
  const panels = panelsOf(piece, layout, scene);
  const shared = {
    scene_id: shot.sceneId,
    start_frame: shot.start + piece.start,
    end_frame: shot.start + piece.end,
    layout,
    ...explain(piece, { layout, panels }, scene),
  };
  const isCovered = covers(panels, output);
  return {
    ...shared,
    ...(!isCovered && { background: request.background }),
    ...(!isCovered && request.background === 'colour' && { background_colour: request.backgroundColour }),
    panels,
  };
}

/** Whether panels leave nothing of the output free: they never overlap, but for an inset over a panel that fills it. */
function covers(panels: readonly Panel[], { width, height }: Size): boolean {
  const square = panels.filter(panel => !panel.corner_radius);
  if (square.some(({ output }) => output.width >= width && output.height >= height)) return true;
  return square.reduce((sum, { output }) => sum + output.width * output.height, 0) >= width * height;
}

function panelsOf(piece: Piece, layout: Layout, scene: ShotScene): Panel[] {
  const { request, output, content } = scene;
  const { view } = piece;
  if (layout !== 'single' && view.kind === 'panels') return framePanels(piece, { ...view, layout }, scene);
  if (layout !== 'single') {
    const box = layoutShapes.fit.panels({ output, gapPx: 0, content: content.picture })[0]!;
    return [toPanel({ box, path: still(content.picture), piece, ...roundedIn(box, scene) }, scene)];
  }
  const path = shoot(piece, scene);
  const punched = request.punchIn ? punchIn(path, piece, scene) : path;
  const main = view.kind === 'faces' ? mainFace(view.stretches) : undefined;
  const face = main === undefined ? undefined : scene.faces[main]!;
  const box = { x: 0, y: 0, width: output.width, height: output.height };
  const id = face && idAt(face, piece.start);
  return [
    toPanel(
      {
        box,
        path: punched,
        piece,
        ...(id !== undefined && { faceId: id }),
        ...(face?.personId !== undefined && { personId: face.personId }),
      },
      scene,
    ),
  ];
}

/** A window that does not move. */
const still = (box: PixelBox): Path => [{ at: 0, ...box }];

/** The layout of a piece: `fit` only where there is nothing to frame, or where no window can hold what matters. */
function layoutOf(piece: Piece, scene: ShotScene): Layout {
  const { request, content, stepSec, shot, output } = scene;
  const { view } = piece;
  if (view.kind === 'panels') return view.layout;
  if (view.kind === 'box') return 'single';
  if (request.layout === 'fit' && piece.reason !== 'override') return 'fit';
  const { picture } = content;
  const nominal = nominalCrop(picture, output);
  if (view.kind === 'none') {
    if (request.layout === 'single') return 'single';
    const whole = nominal.width >= picture.width - 0.5 && nominal.height >= picture.height - 0.5;
    const flash = (shot.end - shot.start) * stepSec < minFitSec;
    return whole || flash ? 'single' : 'fit';
  }
  if (view.kind === 'faces' && piece.reason !== 'override' && request.layout !== 'single') {
    const widest = usual(focusOn(view.stretches, scene.faces).width);
    return widest > maxFaceWidthRatio * nominal.width ? 'fit' : 'single';
  }
  return 'single';
}

/** The window's path for a piece whose layout is `single`. */
function shoot(piece: Piece, scene: ShotScene): Path {
  const { timeline, content, output } = scene;
  const { view } = piece;
  if (view.kind === 'box') {
    const nominal = nominalCrop(timeline, output);
    const { x, y, ...crop } = windowAround(view.box, nominal, timeline);
    if (!view.move) return [{ at: 0, x, y, ...crop }];
    const { endBox, start, end } = view.move;
    // The same size all the way: only where its middle goes counts.
    const to = windowAround(centredOn(endBox, crop), nominal, timeline);
    const at = (frame: number) => {
      const ratio = (frame - start) / (end - start);
      return { at: frame - piece.start, x: lerp(x, to.x, ratio), y: lerp(y, to.y, ratio), ...crop };
    };
    // The last frame is as near to the end as a frame is: the next override begins there.
    return [at(piece.start), ...(piece.end - piece.start > 1 ? [at(piece.end - 1)] : [])];
  }
  const { picture } = content;
  const nominal = nominalCrop(picture, output);
  if (view.kind === 'motion') return shootMotion(piece, nominal, scene);
  if (view.kind !== 'faces') {
    const { x, y } = centre(picture);
    return [{ at: 0, x: x - nominal.width / 2, y: y - nominal.height / 2, ...nominal }];
  }
  return shootFaces(view.stretches, cropFor(focusOn(view.stretches, scene.faces), scene), scene);
}

function centredOn(box: PixelBox, { width, height }: Size): PixelBox {
  const middle = centre(box);
  return { x: middle.x - width / 2, y: middle.y - height / 2, width, height };
}

const cropFor = (focus: Focus, { content, output }: ShotScene): Size =>
  cropForFace(usual(focus.height), { source: content.picture, output });

/** The face that is framed for most of the time. */
function mainFace(stretches: readonly Stretch[]): number {
  const frames = new Map<number, number>();
  for (const { start, end, face } of stretches) frames.set(face, (frames.get(face) ?? 0) + end - start);
  return [...frames].sort((a, b) => b[1] - a[1])[0]![0];
}

/** A punch-in of this much, over so many seconds, on turns that last at least as long as the third. */
const punch = { ratio: 0.08, overSec: 10, fromSec: 6 };

/** A slow approach to the eyes while a still window stays on one face for long. */
function punchIn(path: Path, piece: Piece, { stepSec, faces }: ShotScene): Path {
  const [window, ...more] = path;
  const frames = piece.end - piece.start;
  const { view } = piece;
  if (more.length || !window || view.kind !== 'faces' || view.stretches.length > 1) return path;
  if (frames * stepSec < punch.fromSec) return path;
  const last = Math.min(frames - 1, Math.round(punch.overSec / stepSec));
  const scale = 1 - punch.ratio * Math.min(1, (last * stepSec) / punch.overSec);
  const focus = focusOn(view.stretches, faces);
  const eyes = {
    x: usual(focus.x) + usual(focus.width) / 2 - window.x,
    y: usual(focus.y) + 0.4 * usual(focus.height) - window.y,
  };
  const nearer = {
    at: last,
    x: window.x + eyes.x * (1 - scale),
    y: window.y + eyes.y * (1 - scale),
    width: window.width * scale,
    height: window.height * scale,
  };
  return [window, nearer];
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
