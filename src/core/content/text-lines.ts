import type { PixelBox, Size } from '../../schema/geometry.js';

/** A line of letters, in pixels of looks. */
export type TextLine = PixelBox & {
  /** How sure it is that these are letters, 0–1. */
  readonly confidence: number;
};

/** What tells letters from other still things. */
export type LineFeatures = {
  /** Changes between rising and falling edges along rows, per pixel: letters are dense. */
  readonly alternation: number;
  /** Mean size of the steps, in 255 levels: letters shall be read. */
  readonly contrast: number;
  /** How much the ink's brightness differs along the line, in its contrast. */
  readonly uneven: number;
  /** Width in heights. */
  readonly aspect: number;
};

/** Pixels of a look that a cell is wide and high. */
const cell = 4;
/** A cell with as many still edges may be part of a letter. */
const minCellEdges = 2;
/** Strokes are at most this wide and far apart, in pixels. */
const strokePx = 10;
/** Steps of strokes that are meant to be read, in levels. */
const minStrokeStep = 40;
/** A cell belongs to letters if there are as many changes in it and the cells up to `reach` to its left and right. */
const [minChanges, reach] = [5, 2];
/** Letters of a line are at most as many cells apart. */
const gapCells = 3;

/** Smallest line, in pixels. */
const [minWidth, minHeight] = [16, 5];

/**
 * Lines of letters among still edges.
 *
 * @param edges - 1 where there is an edge of a letter.
 */
export function findTextLines(edges: Uint8Array, luma: Uint8Array, size: Size): TextLine[] {
  const [columns, rows] = [Math.ceil(size.width / cell), Math.ceil(size.height / cell)];
  const { counts, changes } = countByCell(edges, luma, size, columns * rows);
  const on = new Uint8Array(columns * rows);
  for (let y = 0; y < rows; y++) {
    let last = -1e9;
    for (let x = 0; x < columns; x++) {
      const at = y * columns + x;
      if (counts[at]! < minCellEdges) continue;
      let near = 0;
      for (let k = Math.max(0, x - reach); k <= Math.min(columns - 1, x + reach); k++)
        near += changes[y * columns + k]!;
      if (near < minChanges) continue;
      on.fill(1, x - last <= gapCells ? y * columns + last : at, at + 1);
      last = x;
    }
  }
  return groupsOf(on, columns, rows).flatMap(group => {
    const box = tighten(group, edges, size);
    if (!box || box.width < minWidth || box.height < minHeight) return [];
    return [{ ...box, confidence: confidenceOf(featuresOf(box, edges, luma, size)) }];
  });
}

/** Edges in each cell, and changes between rising and falling ones that are as close as strokes are. */
function countByCell(edges: Uint8Array, luma: Uint8Array, { width, height }: Size, cells: number) {
  const [counts, changes] = [new Uint8Array(cells), new Uint8Array(cells)];
  const columns = Math.ceil(width / cell);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / cell) * columns;
    let [last, wasRising] = [-1e9, false];
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      if (!edges[at]) continue;
      const step = luma[at + 1]! - luma[at - 1]!;
      const inCell = row + Math.floor(x / cell);
      counts[inCell]!++;
      if (Math.abs(step) < minStrokeStep) continue;
      const isRising = step > 0;
      if (isRising !== wasRising && x - last <= strokePx) changes[inCell]!++;
      [last, wasRising] = [x, isRising];
    }
  }
  return { counts, changes };
}

/** Connected cells, as boxes in pixels. */
function groupsOf(on: Uint8Array, columns: number, rows: number): PixelBox[] {
  const groups: PixelBox[] = [];
  const stack: number[] = [];
  for (let start = 0; start < on.length; start++) {
    if (!on[start]) continue;
    on[start] = 0;
    stack.push(start);
    let [left, top, right, bottom] = [columns, rows, 0, 0];
    while (stack.length) {
      const at = stack.pop()!;
      const [x, y] = [at % columns, Math.floor(at / columns)];
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
      for (const next of [x > 0 ? at - 1 : -1, x < columns - 1 ? at + 1 : -1, at - columns, at + columns])
        if (next >= 0 && on[next]) {
          on[next] = 0;
          stack.push(next);
        }
    }
    groups.push({
      x: left * cell,
      y: top * cell,
      width: (right - left + 1) * cell,
      height: (bottom - top + 1) * cell,
    });
  }
  return groups;
}

/** The box around the edges in a box. */
function tighten(box: PixelBox, edges: Uint8Array, { width, height }: Size): PixelBox | undefined {
  let [left, top, right, bottom] = [1e9, 1e9, -1, -1];
  const [endX, endY] = [Math.min(width, box.x + box.width), Math.min(height, box.y + box.height)];
  for (let y = box.y; y < endY; y++)
    for (let x = box.x; x < endX; x++) {
      if (!edges[y * width + x]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** What the still edges in a box look like. */
export function featuresOf(
  box: PixelBox,
  edges: Uint8Array,
  luma: Uint8Array,
  { width }: Size,
): LineFeatures {
  let [count, alternations, contrast] = [0, 0, 0];
  for (let y = box.y; y < box.y + box.height; y++) {
    let sign = 0;
    for (let at = y * width + box.x; at < y * width + box.x + box.width; at++) {
      if (!edges[at]) continue;
      const step = luma[at + 1]! - luma[at - 1]!;
      count++;
      contrast += Math.abs(step);
      if (sign && step > 0 !== sign > 0) alternations++;
      sign = step;
    }
  }
  return {
    alternation: alternations / (box.width * box.height),
    contrast: contrast / Math.max(1, count) / 255,
    uneven: unevenness(box, luma, width),
    aspect: box.width / box.height,
  };
}

/** How much the darkest and brightest pixels differ from window to window of a line: ink has one brightness. */
function unevenness(box: PixelBox, luma: Uint8Array, width: number): number {
  const windows = Math.max(2, Math.round(box.width / 12));
  const [lows, highs]: [number[], number[]] = [[], []];
  for (let i = 0; i < windows; i++) {
    let [low, high] = [255, 0];
    const from = box.x + Math.floor((i * box.width) / windows);
    const to = box.x + Math.floor(((i + 1) * box.width) / windows);
    for (let y = box.y; y < box.y + box.height; y++)
      for (let x = from; x < to; x++) {
        const value = luma[y * width + x]!;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    if (high - low < 30) continue;
    lows.push(low);
    highs.push(high);
  }
  if (lows.length < 2) return 1;
  const contrast = meanOf(highs) - meanOf(lows);
  return Math.min(spreadOf(lows), spreadOf(highs)) / contrast;
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const spreadOf = (values: readonly number[]) => {
  const middle = meanOf(values);
  return Math.sqrt(meanOf(values.map(value => (value - middle) ** 2)));
};
/**
 * Logistic weights, fitted to 3 600 groups of still edges: captions, titles, boards and slides in clips drawn for it, and
 * what a text detector (PP-OCRv4) calls text or not in the development clips. At .6 all letters are found, and one in 700
 * of the others with them.
 */
const weights = { alternation: 24.1, contrast: 24.5, uneven: -8.5, aspect: 0.88, bias: -13.5 };
/** Beyond these values a feature says no more; below `minAlternation` there are no letters. */
const most = { alternation: 0.25, contrast: 0.4, uneven: 0.5, aspect: 6 };
const minAlternation = 0.06;

function confidenceOf(features: LineFeatures): number {
  if (features.alternation < minAlternation) return 0;
  let sum = weights.bias;
  for (const name of ['alternation', 'contrast', 'uneven', 'aspect'] as const)
    sum += weights[name] * Math.min(most[name], features[name]);
  return 1 / (1 + Math.exp(-sum));
}
