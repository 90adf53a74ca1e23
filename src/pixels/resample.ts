import type { Plane } from './planes.js';
import { contiguousPlane } from './planes.js';
import type { Taps } from './taps.js';

/** Where a resampled plane goes: output (x, y) is `data[offset + y · stride + x]`. */
export type Target = {
  readonly data: Float32Array | Uint8ClampedArray;
  readonly offset: number;
  readonly stride: number;
  /** Added to every output; default 0. */
  readonly bias?: number;
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
  const sums = new Float32Array(width);
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
    sumLines(used, down.weights, y * depth, target, target.offset + y * target.stride, sums);
  }
}

/** The plane at another size, upright in memory and rounded to whole values. */
export function resized(plane: Plane, maps: { across: Taps; down: Taps }): Plane {
  const size = { width: maps.across.length, height: maps.down.length };
  const data = new Float32Array(size.width * size.height);
  resample(plane, maps, { data, offset: 0, stride: size.width, bias: 0.5 });
  return contiguousPlane(
    plane.data instanceof Uint16Array ? Uint16Array.from(data) : Uint8Array.from(data),
    size,
  );
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

/** Adds up weighted lines, four at a time: passes over whole lines are what the compiler makes fast. */
function sumLines(
  lines: readonly Float32Array[],
  weights: Float32Array,
  w: number,
  { data, bias = 0 }: Target,
  offset: number,
  sums: Float32Array,
): void {
  const width = sums.length;
  const count = lines.length;
  if (count <= 2) {
    const a = lines[0]!;
    const b = lines[count - 1]!;
    const wa = weights[w]!;
    const wb = count === 2 ? weights[w + 1]! : 0;
    for (let i = 0; i < width; i++) data[offset + i] = a[i]! * wa + b[i]! * wb + bias;
    return;
  }
  for (let k = 0; k < count; k += 4) {
    // Past the last line the first one is added with weight 0.
    const weight = (n: number) => (k + n < count ? weights[w + k + n]! : 0);
    const a = lines[k]!;
    const b = lines[k + 1] ?? a;
    const c = lines[k + 2] ?? a;
    const d = lines[k + 3] ?? a;
    const wa = weight(0);
    const wb = weight(1);
    const wc = weight(2);
    const wd = weight(3);
    if (count <= 4)
      for (let i = 0; i < width; i++)
        data[offset + i] = a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd + bias;
    else if (k === 0)
      for (let i = 0; i < width; i++) sums[i] = a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd + bias;
    else for (let i = 0; i < width; i++) sums[i]! += a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd;
  }
  if (count > 4) for (let i = 0; i < width; i++) data[offset + i] = sums[i]!;
}
