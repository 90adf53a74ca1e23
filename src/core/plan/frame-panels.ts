import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Layout, Panel } from '../../schema/plan.js';
import { centre, overlapArea } from '../box.js';
import { idAt } from './faces.js';
import { cropForPanel, groupCrop, nominalCrop } from './layout.js';
import type { Corner } from './layouts/layout-shape.js';
import { layoutShapes } from './layouts/layouts.js';
import type { Piece } from './piece.js';
import { type Path, shootFaces } from './shoot.js';
import { type ShotScene, usualBox } from './shot-scene.js';
import { sumWithin } from './speech-sums.js';
import { toPanel } from './to-panel.js';

/** A face with more than this share of the speech leads: its panel is the larger one. */
const leadRatio = 0.65;

/** The panels of a layout on the faces of a piece, in the order in which they are drawn. */
export function framePanels(
  piece: Piece,
  { layout, faces }: { readonly layout: Exclude<Layout, 'single'>; readonly faces: readonly number[] },
  scene: ShotScene,
): Panel[] {
  const { output, content, request } = scene;
  const shape = layoutShapes[layout];
  const gapPx = request.gapRatio * output.width;
  const boxes = faces.map(f => usualBox(scene.faces[f]!, piece.start, piece.end) ?? wholeShot(f, scene));
  if (layout === 'fit' || layout === 'group') {
    const crop =
      layout === 'group' && boxes.length
        ? groupCrop(allThrough(piece, faces, scene), { picture: content.picture, output })
        : content.picture;
    const [box] = shape.panels({ output, gapPx, content: crop });
    return [toPanel({ box: box!, path: still(crop), piece, ...roundedIn(box!, scene) }, scene)];
  }
  const screen = shape.hasScreen ? screenDuring(piece, scene) : undefined;
  const lead = leadOf(piece, faces, scene);
  const places = shape.panels({
    output,
    gapPx,
    ...(lead !== undefined && { lead }),
    ...(screen && { content: screen }),
    ...(layout === 'inset' && screen && { corner: freeCorner(screen, scene) }),
  });
  const panels = faces.map((f, k) => {
    const place = places[shape.hasScreen ? k + 1 : k]!;
    const face = scene.faces[f]!;
    const others = boxes.filter((_, j) => j !== k);
    const crop = cropForPanel(boxes[k]!, place, { picture: content.picture, output, others });
    const path = shootFaces([{ start: piece.start, end: piece.end, face: f }], crop, aloneIn(f, scene));
    const named = face.personId === undefined ? {} : { personId: face.personId };
    return toPanel(
      { box: place, path, piece, faceId: idAt(face, piece.start), ...named, ...roundedIn(place, scene) },
      scene,
    );
  });
  if (!screen) return panels;
  const crop = layout === 'inset' ? insetCrop(screen, output) : screen;
  const [box] = places as [PixelBox];
  return [toPanel({ box, path: still(crop), piece, ...roundedIn(box, scene) }, scene), ...panels];
}

/** The radius of a panel's corners; one that fills the output has none. */
export function roundedIn(
  { width, height }: Size,
  { request, output }: ShotScene,
): { cornerRadius?: number } {
  const fills = width >= output.width && height >= output.height;
  const cornerRadius = fills ? 0 : Math.round(request.cornerRadiusRatio * output.width);
  return cornerRadius ? { cornerRadius } : {};
}

const still = (box: PixelBox): Path => [{ at: 0, ...box }];

const silent = new Float32Array();

/** A panel is about its own face: whoever else speaks meanwhile has another one. */
const aloneIn = (f: number, scene: ShotScene): ShotScene => ({
  ...scene,
  weights: scene.weights.map((weight, g) => (g === f ? weight : silent)),
});

const wholeShot = (f: number, { faces, shot }: ShotScene): PixelBox =>
  usualBox(faces[f]!, 0, shot.end - shot.start)!;

/** Where the faces of a group are at the start, in the middle and at the end of a piece: one window holds all of that. */
function allThrough(piece: Piece, faces: readonly number[], scene: ShotScene): PixelBox[] {
  const third = Math.ceil((piece.end - piece.start) / 3);
  const found = [0, 1, 2].flatMap(k => {
    const start = piece.start + k * third;
    const end = Math.min(piece.end, start + third);
    return faces.flatMap(f => usualBox(scene.faces[f]!, start, end) ?? []);
  });
  return found.length ? found : faces.map(f => wholeShot(f, scene));
}

/** The rank of the panel whose face does most of the talking; nobody's where no one does. */
function leadOf(piece: Piece, faces: readonly number[], scene: ShotScene): number | undefined {
  const spoken = faces.map(f => sumWithin(scene.spoken[f]!, scene.faces[f]!.first, piece.start, piece.end));
  const all = spoken.reduce((sum, value) => sum + value, 0);
  const most = spoken.indexOf(Math.max(...spoken));
  return all > 0 && spoken[most]! > leadRatio * all ? most : undefined;
}

/** The screen that is shown for most of a piece; without any, the picture. */
function screenDuring({ start, end }: Piece, { content, presented }: ShotScene): PixelBox {
  const common = (timed: { start: number; end: number }) =>
    Math.min(end, timed.end) - Math.max(start, timed.start);
  const longest = (screens: ShotScene['presented']) =>
    screens.filter(timed => common(timed) > 0).sort((a, b) => common(b) - common(a))[0];
  return (longest(presented) ?? longest(content.screens))?.box ?? content.picture;
}

/** The part of a screen that fills the output: its middle. */
function insetCrop(screen: PixelBox, output: { width: number; height: number }): PixelBox {
  const { width, height } = nominalCrop(screen, output);
  const { x, y } = centre(screen);
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** The corner of a screen with the least lettering; at the bottom right where all are alike. */
function freeCorner(screen: PixelBox, { content }: ShotScene): Corner {
  const corners = [true, false].flatMap(bottom => [true, false].map(right => ({ right, bottom })));
  const half = { width: screen.width / 2, height: screen.height / 2 };
  const lettering = ({ right, bottom }: Corner) => {
    const quarter = {
      x: screen.x + (right ? half.width : 0),
      y: screen.y + (bottom ? half.height : 0),
      ...half,
    };
    return content.texts.reduce((sum, { box }) => sum + overlapArea(box, quarter), 0);
  };
  return corners.reduce((best, corner) => (lettering(corner) < lettering(best) ? corner : best));
}
