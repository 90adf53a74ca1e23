import type { PixelBox } from '../../schema/geometry.js';
import type { FrameTime } from '../../schema/time.js';
import { clamp } from '../series.js';
import { toLevels } from '../thumbnail.js';
import { cameraResidual } from './camera-residual.js';

/** Where the eye goes at a moment: a box in 0–1 of the picture; `confidence` is how concentrated that is, 0–1. */
export type AttentionPoint = FrameTime & PixelBox & { readonly confidence: number };

/** A frame's thumbnail, float32 `[27, 48, 3]`, RGB 0–1. */
export type AttentionSample = FrameTime & { readonly cut: boolean; readonly thumbnail: Float32Array };

const [columns, rows] = [48, 27];
const count = columns * rows;
/** A point is told this often, seconds. */
const pointSec = 0.4;
/** Frames are compared this far apart, seconds: of faster ones every second one is left out. */
const stepSec = 0.075;
/** What changes by so many levels between two of them counts in full; what stands out without moving counts for this much at most. */
const [fullChange, stillWeight] = [7, 0.22];
/** What a moment leaves to the next: the eye stays where something was. */
const memory = 0.3;
/** Half the size of the window in which the middle of what attracts is looked for, in cells, and rounds of looking. */
const [reachX, reachY, rounds] = [9, 7, 6];
/** The box reaches so many standard deviations from the middle, and at least so many cells. */
const [reachSpread, minReach] = [1.7, 1.5];
/** Attraction of the strongest cell below this is noise. */
const minPeak = 0.08;

/** Follows where the eye goes. Its state is plain JSON. */
export interface AttentionFolder {
  push(sample: AttentionSample): void;
  points(): readonly AttentionPoint[];
  save(): unknown;
}

type State = {
  readonly points: readonly AttentionPoint[];
  readonly luma?: readonly number[];
  readonly change: readonly number[];
  readonly frames: number;
  readonly field: readonly number[];
  readonly toldSec?: number;
  readonly seenSec: number;
  /** The frame in the middle of what is summed up: a point is of that moment. */
  readonly halfway?: FrameTime;
};

/**
 * What moves other than the camera does, and what stands out by colour and contrast, on thumbnails.
 *
 * @param saved - State of another folder; the new folder goes on from there.
 * @see AutoFlip (Google, 2020), whose regions that move and that stand out are the mark.
 */
export function createAttentionFolder(saved?: unknown): AttentionFolder {
  const before = saved as State | undefined;
  const points = [...(before?.points ?? [])];
  let luma: Float32Array | undefined = before?.luma && Float32Array.from(before.luma);
  let change: Float32Array = Float32Array.from(before?.change ?? new Float32Array(count));
  let frames = before?.frames ?? 0;
  let field: Float32Array = Float32Array.from(before?.field ?? new Float32Array(count));
  let toldSec = before?.toldSec;
  let halfway = before?.halfway;
  let seenSec = before?.seenSec ?? 0;
  const forget = () => {
    luma = undefined;
    change = new Float32Array(count);
    frames = 0;
    field = new Float32Array(count);
  };
  return {
    push({ frameNumber, timeSec, cut, thumbnail }) {
      if (cut) {
        forget();
        toldSec = timeSec;
        halfway = undefined;
      }
      if (luma && timeSec - seenSec < stepSec) return;
      seenSec = timeSec;
      const levels = toLevels(thumbnail);
      if (luma) {
        const moved = cameraResidual(luma, levels.luma);
        for (let i = 0; i < count; i++) change[i] = change[i]! + moved[i]!;
        frames++;
      }
      luma = levels.luma;
      toldSec ??= timeSec;
      if (timeSec - toldSec >= pointSec / 2) halfway ??= { frameNumber, timeSec };
      if (timeSec - toldSec < pointSec || !frames) return;
      toldSec = timeSec;
      const still = standingOut(levels.rgb, levels.luma);
      for (let i = 0; i < count; i++) {
        const now = Math.min(1, change[i]! / frames / fullChange) + stillWeight * still[i]!;
        field[i] = eighthBits(memory * field[i]! + (1 - memory) * now);
      }
      change = new Float32Array(count);
      frames = 0;
      const found = concentration(field);
      if (found && halfway) points.push({ ...halfway, ...found });
      halfway = undefined;
    },
    points: () => [...points],
    save: (): State => ({
      points: [...points],
      ...(luma && { luma: Array.from(luma) }),
      change: Array.from(change),
      frames,
      field: Array.from(field),
      seenSec,
      ...(toldSec !== undefined && { toldSec }),
      ...(halfway && { halfway }),
    }),
  };
}

/** Few digits, so that states stay small. */
const eighthBits = (value: number) => Math.round(value * 4096) / 4096;

/** How much each cell differs in colour from the picture, where it also has contrast of its own; 0–1. */
function standingOut(rgb: Float32Array, luma: Float32Array): Float32Array {
  const mean = [0, 0, 0];
  for (let i = 0; i < count; i++) for (let c = 0; c < 3; c++) mean[c]! += rgb[3 * i + c]! / count;
  const out = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y] = [i % columns, Math.floor(i / columns)];
    let colour = 0;
    for (let c = 0; c < 3; c++) colour += Math.abs(rgb[3 * i + c]! - mean[c]!);
    const right = luma[x < columns - 1 ? i + 1 : i]!;
    const below = luma[y < rows - 1 ? i + columns : i]!;
    const contrast = Math.abs(right - luma[i]!) + Math.abs(below - luma[i]!);
    out[i] = Math.min(1, Math.sqrt(colour * contrast) / 100);
  }
  return out;
}

/** The box that holds most of what attracts, and how much more than its share of the picture that is. */
function concentration(field: Float32Array): (PixelBox & { readonly confidence: number }) | undefined {
  const smooth = blurred(field);
  let [sum, peak] = [0, 0];
  for (let i = 0; i < count; i++) {
    sum += smooth[i]!;
    if (smooth[i]! > smooth[peak]!) peak = i;
  }
  if (smooth[peak]! < minPeak) return undefined;
  const floor = 1.2 * (sum / count);
  const above = (i: number) => Math.max(0, smooth[i]! - floor);
  let [x, y] = [peak % columns, Math.floor(peak / columns)];
  let spread = { x: 0, y: 0 };
  for (let round = 0; round < rounds; round++) {
    let [weight, alongX, alongY, squaresX, squaresY] = [0, 0, 0, 0, 0];
    for (let j = Math.max(0, Math.round(y - reachY)); j <= Math.min(rows - 1, Math.round(y + reachY)); j++)
      for (
        let i = Math.max(0, Math.round(x - reachX));
        i <= Math.min(columns - 1, Math.round(x + reachX));
        i++
      ) {
        const here = above(j * columns + i);
        weight += here;
        alongX += here * i;
        alongY += here * j;
        squaresX += here * i * i;
        squaresY += here * j * j;
      }
    if (!weight) return undefined;
    [x, y] = [alongX / weight, alongY / weight];
    spread = {
      x: Math.sqrt(Math.max(0, squaresX / weight - x * x)),
      y: Math.sqrt(Math.max(0, squaresY / weight - y * y)),
    };
  }
  const [halfX, halfY] = [
    Math.max(minReach, reachSpread * spread.x),
    Math.max(minReach, reachSpread * spread.y),
  ];
  const [left, right] = [clamp(x + 0.5 - halfX, 0, columns), clamp(x + 0.5 + halfX, 0, columns)];
  const [top, bottom] = [clamp(y + 0.5 - halfY, 0, rows), clamp(y + 0.5 + halfY, 0, rows)];
  let [inside, all] = [0, 0];
  for (let i = 0; i < count; i++) {
    const here = above(i);
    all += here;
    const [cellX, cellY] = [(i % columns) + 0.5, Math.floor(i / columns) + 0.5];
    if (cellX >= left && cellX <= right && cellY >= top && cellY <= bottom) inside += here;
  }
  const area = ((right - left) * (bottom - top)) / count;
  const strength = Math.min(1, smooth[peak]! / (4 * minPeak));
  return {
    x: left / columns,
    y: top / rows,
    width: (right - left) / columns,
    height: (bottom - top) / rows,
    confidence: clamp(((inside / all - area) / Math.max(0.05, 1 - area)) * strength, 0, 1),
  };
}

/** The mean of each cell and its eight neighbours. */
function blurred(field: Float32Array): Float32Array {
  return field.map((_, at) => {
    const [x, y] = [at % columns, Math.floor(at / columns)];
    let [sum, cells] = [0, 0];
    for (let j = Math.max(0, y - 1); j <= Math.min(rows - 1, y + 1); j++)
      for (let i = Math.max(0, x - 1); i <= Math.min(columns - 1, x + 1); i++) {
        sum += field[j * columns + i]!;
        cells++;
      }
    return sum / cells;
  });
}
