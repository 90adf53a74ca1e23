import type { Plane } from './planes.js';
import type { Taps } from './taps.js';

/** Where a resampled plane goes: output (x, y) is `data[offset + y · stride + x]`. */
export type Target = {
  readonly data: Float32Array | Uint8ClampedArray;
  readonly offset: number;
  readonly stride: number;
};

/**
 * Resizes one plane by one map per axis. Rows first: each source row is shrunk or stretched once, kept while
 * outputs need it, and then summed downwards. Plain loops over typed arrays beat every canvas without a GPU.
 *
 * @param across - Map over the samples of `plane.x`.
 * @param down - Map over the samples of `plane.y`.
 */
export function resample(plane: Plane, { across, down }: { across: Taps; down: Taps }, target: Target): void {
  const width = across.length;
  const depth = down.count;
  const lines = Array.from({ length: depth }, () => new Float32Array(width));
  const held = new Int32Array(depth).fill(-1);
  const starts = across.start.map(start => start * plane.x.step);
  const used: Float32Array[] = new Array(depth);
  for (let y = 0; y < down.length; y++) {
    const first = down.start[y]!;
    for (let k = 0; k < depth; k++) {
      const row = first + k;
      const slot = row % depth;
      const line = lines[slot]!;
      if (held[slot] !== row) {
        resampleRow(plane, row, across, starts, line);
        held[slot] = row;
      }
      used[k] = line;
    }
    sumLines(used, down.weights, y * depth, target.data, target.offset + y * target.stride, width);
  }
}

/** One source row through the map along x. The small counts, which are the hot ones, are written out. */
function resampleRow(plane: Plane, row: number, taps: Taps, starts: Int32Array, line: Float32Array): void {
  const { data, x } = plane;
  const { count, weights } = taps;
  const step = x.step;
  const base = plane.offset + row * plane.y.step;
  const width = line.length;
  if (count === 1) {
    for (let i = 0; i < width; i++) line[i] = data[base + starts[i]!]!;
  } else if (count === 2) {
    for (let i = 0, w = 0; i < width; i++, w += 2) {
      const p = base + starts[i]!;
      line[i] = data[p]! * weights[w]! + data[p + step]! * weights[w + 1]!;
    }
  } else if (count === 3) {
    for (let i = 0, w = 0; i < width; i++, w += 3) {
      const p = base + starts[i]!;
      line[i] =
        data[p]! * weights[w]! + data[p + step]! * weights[w + 1]! + data[p + 2 * step]! * weights[w + 2]!;
    }
  } else if (count === 4) {
    for (let i = 0, w = 0; i < width; i++, w += 4) {
      const p = base + starts[i]!;
      line[i] =
        data[p]! * weights[w]! +
        data[p + step]! * weights[w + 1]! +
        data[p + 2 * step]! * weights[w + 2]! +
        data[p + 3 * step]! * weights[w + 3]!;
    }
  } else {
    for (let i = 0, w = 0; i < width; i++) {
      let sum = 0;
      for (let k = 0, p = base + starts[i]!; k < count; k++, p += step) sum += data[p]! * weights[w++]!;
      line[i] = sum;
    }
  }
}

function sumLines(
  lines: readonly Float32Array[],
  weights: Float32Array,
  w: number,
  data: Target['data'],
  offset: number,
  width: number,
): void {
  const [a, b, c, d] = lines as [Float32Array, Float32Array, Float32Array, Float32Array];
  if (lines.length === 1) {
    for (let i = 0; i < width; i++) data[offset + i] = a[i]!;
  } else if (lines.length === 2) {
    const wa = weights[w]!;
    const wb = weights[w + 1]!;
    for (let i = 0; i < width; i++) data[offset + i] = a[i]! * wa + b[i]! * wb;
  } else if (lines.length === 4) {
    const wa = weights[w]!;
    const wb = weights[w + 1]!;
    const wc = weights[w + 2]!;
    const wd = weights[w + 3]!;
    for (let i = 0; i < width; i++) data[offset + i] = a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd;
  } else {
    for (let i = 0; i < width; i++) {
      let sum = 0;
      for (let k = 0; k < lines.length; k++) sum += lines[k]![i]! * weights[w + k]!;
      data[offset + i] = sum;
    }
  }
}
