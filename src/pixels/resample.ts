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
    plane.data instanceof Uint16Array ? new Uint16Array(data) : new Uint8Array(data),
    size,
  );
}

/** One source row through the map along x. The small counts, which are the hot ones, have loops of their own. */
function resampleRow(plane: Plane, row: number, taps: Taps, starts: Int32Array, line: Float32Array): void {
  const base = plane.offset + row * plane.y.step;
  const loop = taps.count === 4 ? rowOfFour : taps.count === 2 ? rowOfTwo : rowOfMany;
  loop(plane.data, base, plane.x.step, starts, taps.weights, line, taps.count);
}

type RowLoop = (
  data: Plane['data'],
  base: number,
  step: number,
  starts: Int32Array,
  weights: Float32Array,
  line: Float32Array,
  count: number,
) => void;

const rowOfTwo: RowLoop = (data, base, step, starts, weights, line) => {
  const width = line.length;
  for (let i = 0, w = 0; i < width; i++, w += 2) {
    const p = base + starts[i]!;
    line[i] = data[p]! * weights[w]! + data[p + step]! * weights[w + 1]!;
  }
};

const rowOfFour: RowLoop = (data, base, step, starts, weights, line) => {
  const width = line.length;
  for (let i = 0, w = 0; i < width; i++, w += 4) {
    const p = base + starts[i]!;
    line[i] =
      data[p]! * weights[w]! +
      data[p + step]! * weights[w + 1]! +
      data[p + 2 * step]! * weights[w + 2]! +
      data[p + 3 * step]! * weights[w + 3]!;
  }
};

const rowOfMany: RowLoop = (data, base, step, starts, weights, line, count) => {
  const width = line.length;
  for (let i = 0, w = 0; i < width; i++) {
    let sum = 0;
    for (let k = 0, p = base + starts[i]!; k < count; k++, p += step) sum += data[p]! * weights[w++]!;
    line[i] = sum;
  }
};

/** Adds up weighted lines, four at a time: passes over whole lines are what the compiler makes fast. */
function sumLines(
  lines: readonly Float32Array[],
  weights: Float32Array,
  w: number,
  { data, bias = 0 }: Target,
  offset: number,
  sums: Float32Array,
): void {
  const count = lines.length;
  if (count <= 2) sumTwo(data, offset, lines, weights, w, bias);
  else if (count <= 4) sumFour(data, offset, lines, weights, w, bias);
  else {
    sums.fill(bias);
    for (let k = 0; k < count; k += 4) addFour(sums, lines, k, weights, w);
    for (let i = 0; i < sums.length; i++) data[offset + i] = sums[i]!;
  }
}

function sumTwo(
  data: Target['data'],
  offset: number,
  lines: readonly Float32Array[],
  weights: Float32Array,
  w: number,
  bias: number,
): void {
  const a = lines[0]!;
  const b = lines[1] ?? a;
  const wa = weights[w]!;
  const wb = lines.length > 1 ? weights[w + 1]! : 0;
  const width = a.length;
  for (let i = 0; i < width; i++) data[offset + i] = a[i]! * wa + b[i]! * wb + bias;
}

function sumFour(
  data: Target['data'],
  offset: number,
  lines: readonly Float32Array[],
  weights: Float32Array,
  w: number,
  bias: number,
): void {
  const [a, b, c, d = c] = lines as [Float32Array, Float32Array, Float32Array, Float32Array?];
  const wa = weights[w]!;
  const wb = weights[w + 1]!;
  const wc = weights[w + 2]!;
  const wd = lines.length > 3 ? weights[w + 3]! : 0;
  const width = a.length;
  for (let i = 0; i < width; i++) data[offset + i] = a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd + bias;
}

/** Adds lines `k` to `k + 3`, as far as there are any. */
function addFour(
  sums: Float32Array,
  lines: readonly Float32Array[],
  k: number,
  weights: Float32Array,
  w: number,
): void {
  const a = lines[k]!;
  const [b = a, c = a, d = a] = [lines[k + 1], lines[k + 2], lines[k + 3]];
  const weight = (line: number) => (line < lines.length ? weights[w + line]! : 0);
  const wa = weight(k);
  const wb = weight(k + 1);
  const wc = weight(k + 2);
  const wd = weight(k + 3);
  const width = sums.length;
  for (let i = 0; i < width; i++) sums[i]! += a[i]! * wa + b[i]! * wb + c[i]! * wc + d[i]! * wd;
}
