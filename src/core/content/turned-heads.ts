import type { PixelBox, Size } from '../../schema/geometry.js';
import { centre, iou } from '../box.js';
import type { Detection } from '../detection.js';
import type { TrackBox } from '../tracks.js';
import type { Look } from './look.js';

/** A head that is followed after its face was lost. Boxes in pixels of the displayed frame, as large as the face was. */
export type TurnedRun = {
  /** Where the face was seen last. */
  readonly last: TrackBox;
  /** The head afterwards, look by look; `confidence` is the correlation with what it looked like before, 0–1. */
  readonly boxes: readonly TrackBox[];
};

/** A head without a face is followed for as long, seconds. */
const maxTurnedSec = 5;
/** It is lost below this correlation. */
const minCorrelation = 0.5;
/** A head whose correlation falls by so much from one look to the next, to less than this, has left. */
const [maxFall, maxAfterFall] = [0.31, 0.7];
/** The template holds the face box enlarged by this, with hair and shoulders, in so many samples each way. */
const [surround, samples] = [1.7, 20];
/** Samples count by a bell around the middle of the head, this wide in shares of the view: walls behind heads do not turn. */
const bell = 0.34;
/** Share of the newest view in the template: a head turns within a second and looks another way in every look. */
const renewal = 0.5;
/** Smaller faces, in pixels of looks, have nothing to correlate. */
const minFacePx = 7;
/** A view with less spread, in levels, could be anywhere. */
const minSpread = 5;
/** How far a head goes between two looks at most, in faces, and what each squared face of way costs in correlation. */
const [maxWay, wayCost] = [0.6, 0.15];
/** Faces overlap by this from look to look. */
const minSameIou = 0.2;

/** Follows heads from where their faces were last seen. Its state is plain JSON. */
export interface TurnedFolder {
  /** @param detections - Faces found in this frame, pixels of the displayed frame. */
  push(look: Look, detections: readonly Detection[]): void;
  runs(): readonly TurnedRun[];
  save(): unknown;
}

/** A face or head with what it looks like. */
type Head = { readonly box: TrackBox; readonly template: readonly number[] };
type Following = { readonly last: TrackBox; readonly boxes: readonly TrackBox[]; readonly head: Head };
type State = {
  readonly closed: readonly TurnedRun[];
  readonly following: readonly Following[];
  /** Faces of the last look. */
  readonly seen: readonly Head[];
};

/** @param source - Displayed size. @param saved - State of another folder; the new folder goes on from there. */
export function createTurnedFolder(source: Size, saved?: unknown): TurnedFolder {
  const before = saved as State | undefined;
  const closed = [...(before?.closed ?? [])];
  let following = before?.following ?? [];
  let seen = before?.seen ?? [];
  const close = ({ last, boxes }: Following) => {
    if (boxes.length) closed.push({ last, boxes });
  };
  return {
    push(look, detections) {
      if (look.cut) {
        for (const run of following) close(run);
        [following, seen] = [[], []];
      }
      const isFound = (box: PixelBox) => detections.some(detection => isSame(box, detection));
      const lost = seen
        .filter(({ box }) => !isFound(box))
        .map((head): Following => ({ last: head.box, boxes: [], head }));
      const next: Following[] = [];
      for (const run of [...following, ...lost]) {
        const isOver = isFound(run.head.box) || look.timeSec - run.last.timeSec > maxTurnedSec;
        const head = isOver ? undefined : follow(run.head, look, source);
        // Where another head is followed already, this one was that one.
        if (!head || next.some(other => iou(other.head.box, head.box) > 0.5)) close(run);
        else next.push({ ...run, head, boxes: [...run.boxes, head.box] });
      }
      following = next;
      seen = detections.flatMap(detection => headAt({ ...boxOf(detection), ...timeOf(look) }, look, source));
    },
    runs: () => [
      ...closed,
      ...following.filter(({ boxes }) => boxes.length).map(({ last, boxes }) => ({ last, boxes })),
    ],
    save: (): State => ({ closed: [...closed], following, seen }),
  };
}

const timeOf = ({ frameNumber, timeSec }: Look) => ({ frameNumber, timeSec });
const boxOf = ({ x, y, width, height, confidence }: Detection) => ({ x, y, width, height, confidence });

/** Whether two boxes of neighbouring looks are one face. */
function isSame(a: PixelBox, b: PixelBox): boolean {
  const [from, to] = [centre(a), centre(b)];
  const isNear = Math.hypot(from.x - to.x, from.y - to.y) < 0.6 * Math.sqrt(a.width * a.height);
  return isNear || iou(a, b) >= minSameIou;
}

/** A face with its template, if it is large enough. */
function headAt(box: TrackBox, look: Look, source: Size): Head[] {
  if ((box.width * look.size.width) / source.width < minFacePx) return [];
  const template = viewOf(box, look, source);
  return template ? [{ box, template: Array.from(template, rounded) }] : [];
}

/** The head in the next look; undefined when it is lost. */
function follow({ box, template }: Head, look: Look, source: Size): Head | undefined {
  const size = Math.sqrt(box.width * box.height);
  let best: { box: TrackBox; view: Float32Array; score: number } | undefined;
  const tryAt = (x: number, y: number, scale: number) => {
    const [width, height] = [box.width * scale, box.height * scale];
    const tried = { ...box, ...timeOf(look), x: x - width / 2, y: y - height / 2, width, height };
    const view = viewOf(tried, look, source);
    if (!view) return;
    const way = Math.hypot(x - middle.x, y - middle.y) / size;
    const confidence = Math.max(0, Math.min(1, correlation(view, template)));
    const score = confidence - wayCost * way * way;
    if (!best || score > best.score) best = { box: { ...tried, confidence }, view, score };
  };
  const middle = centre(box);
  const stepPx = size / 6;
  const steps = Math.round((maxWay * size) / stepPx);
  for (let j = -steps; j <= steps; j++)
    for (let i = -steps; i <= steps; i++) tryAt(middle.x + i * stepPx, middle.y + j * stepPx, 1);
  if (best) {
    const coarse = centre(best.box);
    for (const scale of [0.95, 1, 1.05])
      for (const dy of [-0.5, 0, 0.5])
        for (const dx of [-0.5, 0, 0.5]) tryAt(coarse.x + dx * stepPx, coarse.y + dy * stepPx, scale);
  }
  if (!best || best.box.confidence < minCorrelation) return undefined;
  // Who turns changes from look to look; who leaves is gone at once, and the wall behind is not followed.
  const isGone = best.box.confidence < maxAfterFall && box.confidence - best.box.confidence > maxFall;
  if (isGone) return undefined;
  const { view } = best;
  return {
    box: best.box,
    template: template.map((value, i) => rounded((1 - renewal) * value + renewal * view[i]!)),
  };
}

/** The head and what is around it as samples of mean 0 and spread 1; undefined where nothing is to be seen. */
function viewOf(box: PixelBox, { luma, size }: Look, source: Size): Float32Array | undefined {
  const [across, down] = [size.width / source.width, size.height / source.height];
  const middle = centre(box);
  const [width, height] = [box.width * surround * across, box.height * surround * down];
  const [left, top] = [middle.x * across - width / 2, middle.y * down - height / 2];
  const view = new Float32Array(samples * samples);
  let [sum, squares] = [0, 0];
  for (let j = 0, to = 0; j < samples; j++) {
    const y = Math.round(Math.min(size.height - 1, Math.max(0, top + ((j + 0.5) * height) / samples - 0.5)));
    for (let i = 0; i < samples; i++, to++) {
      const x = Math.round(Math.min(size.width - 1, Math.max(0, left + ((i + 0.5) * width) / samples - 0.5)));
      const value = luma[y * size.width + x]!;
      view[to] = value;
      sum += weights[to]! * value;
      squares += weights[to]! * value * value;
    }
  }
  const spread = Math.sqrt(Math.max(0, squares - sum * sum));
  if (spread < minSpread) return undefined;
  return view.map(value => (value - sum) / spread);
}

/** Weights of the samples, which sum to 1. */
const weights = (() => {
  const raw = Float32Array.from({ length: samples * samples }, (_, i) => {
    const [x, y] = [(i % samples) + 0.5, Math.floor(i / samples) + 0.5].map(
      at => (at / samples - 0.5) / bell,
    );
    return Math.exp(-(x! * x! + y! * y!) / 2);
  });
  const sum = raw.reduce((all, weight) => all + weight, 0);
  return raw.map(weight => weight / sum);
})();

function correlation(view: Float32Array, template: readonly number[]): number {
  let [along, squares] = [0, 0];
  for (let i = 0; i < view.length; i++) {
    along += weights[i]! * view[i]! * template[i]!;
    squares += weights[i]! * template[i]! * template[i]!;
  }
  return squares > 0 ? along / Math.sqrt(squares) : 0;
}

/** Templates are kept in states: few digits are enough. */
const rounded = (value: number) => Math.round(value * 256) / 256;
