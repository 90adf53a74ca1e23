import type { PixelBox, Size } from '../../schema/geometry.js';
import type { Layout } from '../../schema/plan.js';
import { centre, overlapArea } from '../box.js';
import { clamp, nth } from '../series.js';
import type { ShotFace } from './faces.js';
import { cropForFace, cropForPanel, groupCrop, nominalCrop } from './layout.js';
import { layoutShapes } from './layouts/layouts.js';
import { type ShotScene, usualBox } from './shot-scene.js';

/** What could be shown: a layout with faces in the order of its panels. Faces are indices into the shot's faces. */
export type PlanView = {
  /** The same for the same layout of the same faces. */
  readonly key: string;
  readonly layout: Layout;
  readonly faces: readonly number[];
  /** What a second of each face's speech is worth in this view. */
  readonly seen: Float64Array;
  /** What a second of the view costs, whoever speaks. */
  readonly costPerSec: number;
  /** Whether faces share the output. */
  readonly isShared: boolean;
  /** How much of a screen it shows, 0–1. */
  readonly screenRatio: number;
  /** How good a subject it shows while nobody speaks, 0–1. */
  readonly salience: number;
};

/** Panels of several faces are tried for so many of them, windows of one for more. */
const [maxPanelFaces, maxSingles] = [4, 8];
/** A face wider than this many windows is better seen whole, over a fill. */
export const maxFaceWidthRatio = 1.2;

/** What is the same for a face all through its shot. */
export type FaceFacts = {
  readonly box: PixelBox;
  /** The window for this face alone. */
  readonly crop: Size;
  readonly salience: number;
  /** How far it moves, in window widths per second. */
  readonly travelPerSec: number;
  /** Faces that a still window for this one shows as well. */
  readonly near: ReadonlySet<number>;
};

/** The facts of every face of a shot. */
export function factsOf(scene: ShotScene): FaceFacts[] {
  const { faces, content, output, shot } = scene;
  const boxes = faces.map(face => usualBox(face, 0, shot.end - shot.start)!);
  const crops = boxes.map(box => cropForFace(box.height, { source: content.picture, output }));
  const spans = faces.map(span);
  return faces.map((face, f) => ({
    box: boxes[f]!,
    crop: crops[f]!,
    salience: salience(face, boxes[f]!, scene),
    travelPerSec: travel(face, scene.stepSec) / crops[f]!.width,
    near: new Set(
      spans.flatMap(({ left, right }, g) => {
        const room = 0.15 * Math.max(boxes[f]!.width, boxes[g]!.width);
        const width = Math.max(right, spans[f]!.right) - Math.min(left, spans[f]!.left) + 2 * room;
        return g !== f && width <= Math.min(crops[f]!.width, crops[g]!.width) ? [g] : [];
      }),
    ),
  }));
}

/** Every view that is worth a thought while some faces are there and a screen is shown or not. */
export function viewsFor(
  alive: readonly number[],
  screen: PixelBox | undefined,
  { scene, facts, ranks }: { scene: ShotScene; facts: readonly FaceFacts[]; ranks: readonly number[] },
): PlanView[] {
  const { request } = scene;
  const shown = alive.filter(f => scene.roles[f]!.role !== 'ignore').sort((a, b) => ranks[a]! - ranks[b]!);
  const onScreen = (faces: readonly number[]) =>
    [...faces].sort((a, b) => readingOrder(facts[a]!.box, facts[b]!.box));
  const best = shown.slice(0, maxPanelFaces);
  const all: [Layout, number[]][] = [
    ...shown.slice(0, maxSingles).map((f): [Layout, number[]] => ['single', [f]]),
    ...(['stack', 'grid-3', 'grid-4'] as const).flatMap(layout =>
      subsets(best, layoutShapes[layout].faces[0]).map((faces): [Layout, number[]] => [
        layout,
        onScreen(faces),
      ]),
    ),
    ...(shown.length > 1 ? [['group', onScreen(shown)] as [Layout, number[]]] : []),
    ...(screen
      ? best.flatMap((f): [Layout, number[]][] => [
          ['screen-speaker', [f]],
          ['inset', [f]],
        ])
      : []),
    ['fit', []],
  ];
  const fits = ([layout, faces]: [Layout, number[]]) =>
    layout !== 'single' || facts[faces[0]!]!.box.width <= maxFaceWidthRatio * facts[faces[0]!]!.crop.width;
  const always = new Set<Layout>(['single', 'fit', ...request.layouts]);
  const usable = all.filter(([layout]) => always.has(layout));
  const asked = request.layout === 'auto' ? [] : all.filter(([layout]) => layout === request.layout);
  const wanted = asked.length ? asked : usable.filter(fits);
  // What was asked for but is not possible gives a window for one face, where there is any.
  const singles = wanted.filter(([layout]) => layout === 'single');
  const chosen = request.layout !== 'auto' && !asked.length && singles.length ? singles : wanted;
  const made = chosen.map(([layout, faces]) => viewOf(layout, faces, screen, { scene, facts }));
  return made.filter(({ windows }) => request.layout !== 'auto' || apart(windows)).map(({ view }) => view);
}

/** Two panels may have so much of the smaller window in common; with more they show the same thing twice. */
const maxCommonRatio = 0.15;

const apart = (windows: readonly PixelBox[]) =>
  windows.every((a, i) =>
    windows
      .slice(i + 1)
      .every(b => overlapArea(a, b) <= maxCommonRatio * Math.min(a.width * a.height, b.width * b.height)),
  );

function viewOf(
  layout: Layout,
  faces: readonly number[],
  screen: PixelBox | undefined,
  { scene, facts }: { scene: ShotScene; facts: readonly FaceFacts[] },
): { readonly view: PlanView; readonly windows: readonly PixelBox[] } {
  const { planWeights: weights, output, content } = scene;
  const { picture } = content;
  const shape = layoutShapes[layout];
  const seen = new Float64Array(facts.length);
  const windows: PixelBox[] = [];
  /** @param height - Of the face in output pixels. */
  const see = (f: number, height: number) => {
    const readable = Math.min(1, height / output.height / weights.readableRatio);
    const alone = (facts[f]!.box.height * output.height) / facts[f]!.crop.height;
    const size = layout === 'group' || layout === 'fit' ? Math.sqrt(Math.min(1, height / alone)) : 1;
    const beside = layout === 'single' && f !== faces[0] ? weights.beside : 1;
    seen[f] = weights.seen[layout] * readable * size * beside;
  };
  if (layout === 'single') {
    const [f] = faces as [number];
    for (const g of [f, ...facts[f]!.near])
      see(g, (facts[g]!.box.height * output.height) / facts[f]!.crop.height);
    windows.push(windowOn(facts[f]!.box, facts[f]!.crop, picture));
  } else if (layout === 'group' || layout === 'fit') {
    const crop =
      layout === 'fit'
        ? picture
        : groupCrop(
            faces.map(f => facts[f]!.box),
            { picture, output },
          );
    const [panel] = shape.panels({ output, gapPx: 0, content: crop });
    const whole = layout === 'fit' ? facts.map((_, f) => f) : faces;
    for (const f of whole) see(f, (facts[f]!.box.height * panel!.height) / crop.height);
    windows.push(crop);
  } else {
    const panels = shape.panels({
      output,
      gapPx: scene.request.gapRatio * output.width,
      ...(screen && { content: screen }),
    });
    faces.forEach((f, k) => {
      const panel = panels[shape.hasScreen ? k + 1 : k]!;
      const others = faces.filter(g => g !== f).map(g => facts[g]!.box);
      const crop = cropForPanel(facts[f]!.box, panel, { picture, output, others });
      see(f, (facts[f]!.box.height * panel.height) / crop.height);
      windows.push(windowOn(facts[f]!.box, crop, picture));
    });
  }
  const single = layout === 'single' ? facts[faces[0]!]! : undefined;
  const moves = layout === 'group' || layout === 'fit' ? [] : faces.map(f => facts[f]!.travelPerSec);
  // As much to look at as panels would be, up to four.
  const panels = layout === 'fit' || shape.hasScreen ? 2 : Math.min(4, Math.max(1, faces.length));
  const view: PlanView = {
    key: `${layout} ${faces.join(' ')}`,
    layout,
    faces,
    seen,
    costPerSec:
      weights.panelPerSec * (panels - 1) +
      weights.travel * Math.max(0, ...moves) +
      weights.cutTextPerSec * cutText(windows, scene),
    isShared: layout !== 'single' && !shape.hasScreen,
    screenRatio: screen ? shownOf(screen, layout, { windows, output }) : 0,
    salience: single ? single.salience : 0,
  };
  return { view, windows };
}

/** How much of a screen a view shows, and how large: 1 is the whole width of the output. */
function shownOf(
  screen: PixelBox,
  layout: Layout,
  { windows, output }: { windows: readonly PixelBox[]; output: Size },
): number {
  if (layout === 'screen-speaker') return 1;
  if (layout === 'inset') {
    const crop = nominalCrop(screen, output);
    return (crop.width * crop.height) / (screen.width * screen.height);
  }
  const [window] = windows as [PixelBox];
  const part = overlapArea(screen, window) / (screen.width * screen.height);
  return part > 0.97 ? Math.min(1, screen.width / window.width) : 0;
}

/** How many pieces of lettering windows cut through: half of one is worst. */
function cutText(windows: readonly PixelBox[], { content }: ShotScene): number {
  return content.texts.reduce((sum, { box }) => {
    const shares = windows.map(window => overlapArea(box, window) / (box.width * box.height));
    return sum + Math.max(0, ...shares.map(share => (share > 0.05 && share < 0.95 ? 1 : 0)));
  }, 0);
}

/** A window around a face, inside the picture. */
const windowOn = (box: PixelBox, { width, height }: Size, picture: PixelBox): PixelBox => ({
  x: clamp(centre(box).x - width / 2, picture.x, Math.max(picture.x, picture.x + picture.width - width)),
  y: clamp(centre(box).y - height / 2, picture.y, Math.max(picture.y, picture.y + picture.height - height)),
  width,
  height,
});

/** From left to right; what is clearly higher comes first. */
function readingOrder(a: PixelBox, b: PixelBox): number {
  const down = centre(a).y - centre(b).y;
  const across = centre(a).x - centre(b).x;
  return Math.abs(down) > Math.max(a.height, b.height) && Math.abs(down) > Math.abs(across) ? down : across;
}

function subsets(items: readonly number[], size: number): number[][] {
  if (!size) return [[]];
  return items.flatMap((item, i) => subsets(items.slice(i + 1), size - 1).map(rest => [item, ...rest]));
}

/** 0–1: how much a face is the obvious subject when nobody speaks; a host is more so than anybody else. */
function salience(face: ShotFace, box: PixelBox, { timeline: { width }, shot, faces, roles }: ShotScene) {
  const sizeRatio = Math.min(1, (Math.sqrt(box.width * box.height) / width) * 5);
  const centrality = 1 - Math.min(1, (2 * Math.abs(centre(box).x - width / 2)) / width);
  const shown = face.presentCount / (shot.end - shot.start);
  const host = roles[faces.indexOf(face)]?.role === 'host' ? 1 : 0;
  return (0.5 * sizeRatio + 0.3 * centrality + 0.2 * shown) * 0.999 + host;
}

/** Between where a face is furthest left and right, but for one box in fifty at either end. */
function span(face: ShotFace): { left: number; right: number } {
  const stride = Math.ceil(face.x.length / 100);
  const lefts: number[] = [];
  const rights: number[] = [];
  for (let i = 0; i < face.x.length; i += stride) {
    if (!face.present[i]) continue;
    lefts.push(face.x[i]!);
    rights.push(face.x[i]! + face.width[i]!);
  }
  const cut = Math.floor(0.02 * Math.max(0, lefts.length - 1));
  return { left: nth(lefts, cut), right: nth(rights, rights.length - 1 - cut) };
}

/** How far a face moves sideways in pixels per second, seen twice a second so that noise does not count. */
function travel(face: ShotFace, stepSec: number): number {
  const stride = Math.max(1, Math.round(0.5 / stepSec));
  let way = 0;
  let frames = 0;
  for (let i = stride; i < face.x.length; i += stride) {
    if (!face.present[i] || !face.present[i - stride]) continue;
    const step = Math.abs(face.x[i]! - face.x[i - stride]!);
    way += Math.max(0, step - 0.2 * face.width[i]!);
    frames += stride;
  }
  return clamp(way / (frames * stepSec || 1), 0, 1e6);
}
