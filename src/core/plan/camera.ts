import type { PixelBox, Size } from '../../schema/geometry.js';
import { clamp, median } from '../series.js';
import { avoidCutFaces } from './compose.js';
import type { Focus } from './focus.js';

export type CameraOptions = {
  /** Where the middle of a face goes, in window heights from the top. */
  readonly faceHeightRatio: number;
  /** Room left above a face for hair and forehead, in face heights. */
  readonly headroomRatio: number;
  /** Room left on either side of a face, in face widths. */
  readonly sideRoomRatio: number;
  /** A still window may cut this share of a face for a moment: better than a camera that trembles along. */
  readonly maxCutRatio: number;
  /** A face that moves by more than this many window widths within a turn is followed even by a locked camera. */
  readonly lockRangeRatio: number;
  /** How far the subject drifts before a following camera moves, in window widths. */
  readonly deadZoneRatio: number;
  /** Length of the ease at either end of a move, seconds; the camera looks ahead by half of it. */
  readonly easeSec: number;
  /** Top camera speed, in window widths per second. */
  readonly maxSpeedPerSec: number;
  /** How far a keyframe may lie from the straight line before it is kept, in window widths. */
  readonly thinRatio: number;
};

export const defaultCameraOptions: CameraOptions = {
  faceHeightRatio: 0.37,
  headroomRatio: 0.25,
  sideRoomRatio: 0.12,
  maxCutRatio: 0.06,
  lockRangeRatio: 0.35,
  deadZoneRatio: 0.1,
  easeSec: 0.8,
  maxSpeedPerSec: 1.2,
  thinRatio: 0.004,
};

/** What the camera shoots with: the window, the source it must not leave, and the duration of a frame in seconds. */
export type Shooting = {
  readonly crop: Size;
  readonly source: Size;
  readonly stepSec: number;
  /** Usual boxes of faces that the view is not about. */
  readonly bystanders?: readonly PixelBox[];
};

/** The window's corner at a frame of the stretch, counted from its start. */
export type CameraKey = { readonly at: number; readonly x: number; readonly y: number };

/**
 * The window that holds the focus all through without moving.
 *
 * @returns The window's corner, or nothing where the focus moves too much to be held.
 */
export function holdStill(
  focus: Focus,
  { crop, source, bystanders = [] }: Pick<Shooting, 'crop' | 'source' | 'bystanders'>,
  options: CameraOptions = defaultCameraOptions,
): { x: number; y: number } | undefined {
  const across = bounds(focus.x, focus.width, {
    roomRatio: options.sideRoomRatio,
    window: crop.width,
    oneFace: focus.moves,
  });
  const middleX = across.centre - crop.width / 2;
  if (across.low - across.high > (focus.moves ? 2 * options.maxCutRatio * across.size : 1e-6))
    return undefined;
  if (focus.moves && across.range > options.lockRangeRatio * crop.width) return undefined;
  const down = bounds(focus.y, focus.height, { roomRatio: 0.05, window: crop.height, oneFace: focus.moves });
  const middleY = down.centre - crop.height / 2 + lift(down.size, crop.height, options);
  const forSubject = inside(nearest(middleX, across), crop.width, source.width);
  const limits = {
    low: Math.max(0, across.low),
    high: Math.min(across.high, source.width - crop.width),
    width: crop.width,
  };
  return {
    x: avoidCutFaces({ x: forSubject, ...limits }, bystanders),
    y: inside(nearest(middleY, down), crop.height, source.height),
  };
}

/**
 * Follows a moving focus as an operator would: rests while the subject stays in the dead zone, then goes to
 * where the subject will be next, easing in and out and beginning before the subject has left. Speed is
 * capped.
 *
 * Rest positions are the longest runs whose range fits the dead zone; two passes of a moving average ease
 * between them and look ahead, because the average is centred.
 *
 * @returns Keys with straight lines between them; the first at frame 0.
 */
export function followFocus(
  focus: Focus,
  { crop, source, stepSec }: Shooting,
  options: CameraOptions = defaultCameraOptions,
): CameraKey[] {
  const axis = (
    position: Float32Array,
    size: Float32Array,
    extent: { crop: number; source: number; shift: (size: number) => number },
  ) => {
    const wanted = position.map((value, i) => value + size[i]! / 2 + extent.shift(size[i]!));
    // How far the window may be off before the face is cut, with a little room while there is any.
    const slack = size.map(value => Math.max(0.02 * extent.crop, (extent.crop - 1.1 * value) / 2));
    const calm = average(wanted, Math.round(0.12 / stepSec));
    const rests = restPositions(
      calm,
      slack.map(s => Math.min(options.deadZoneRatio * extent.crop, 0.6 * s)),
    );
    const half = Math.round(options.easeSec / 2 / stepSec);
    const eased = average(average(rests, half), half);
    const held = eased.map((value, i) => clamp(value, calm[i]! - slack[i]!, calm[i]! + slack[i]!));
    const capped = capSpeed(held, options.maxSpeedPerSec * crop.width * stepSec);
    return capped.map(value => inside(value - extent.crop / 2, extent.crop, extent.source));
  };
  const x = axis(focus.x, focus.width, { crop: crop.width, source: source.width, shift: () => 0 });
  const y = axis(focus.y, focus.height, {
    crop: crop.height,
    source: source.height,
    shift: size => lift(size, crop.height, options),
  });
  return thin(x, y, options.thinRatio * crop.width);
}

/** The value nearest to `wanted` between two limits; half-way where the limits contradict each other. */
const nearest = (wanted: number, { low, high }: { low: number; high: number }): number =>
  low <= high ? clamp(wanted, low, high) : (low + high) / 2;

/** Keeps a window of a size within the source. */
export const inside = (corner: number, size: number, limit: number): number =>
  clamp(corner, 0, Math.max(0, limit - size));

/** How far the window's middle lies below the face's, so that the face is about a third from the top. */
const lift = (faceHeight: number, cropHeight: number, options: CameraOptions): number =>
  clamp(
    cropHeight / 2 - (0.5 + options.headroomRatio) * faceHeight,
    0,
    (0.5 - options.faceHeightRatio) * cropHeight,
  );

/** Quantiles of longer stretches are taken of so many frames: finer ones move a window by less than a pixel. */
const maxSamples = 400;

/**
 * Where a window's corner may be so that every position stays inside, along one axis. Outliers (one box in
 * fifty at either end) do not count.
 */
function bounds(
  position: Float32Array,
  size: Float32Array,
  { roomRatio, window, oneFace }: { roomRatio: number; window: number; oneFace: boolean },
) {
  const stride = Math.ceil(position.length / maxSamples);
  const sorted = (value: (i: number) => number) => {
    const values = new Float32Array(Math.ceil(position.length / stride));
    for (let k = 0; k < values.length; k++) values[k] = value(k * stride);
    return values.sort();
  };
  const starts = sorted(i => position[i]!);
  const ends = sorted(i => position[i]! + size[i]!);
  const centres = sorted(i => position[i]! + size[i]! / 2);
  const sizes = sorted(i => size[i]!);
  const largest = sizes[Math.floor((sizes.length - 1) * 0.9)]!;
  const room = clamp(roomRatio * largest, 0, Math.max(0, (window - largest) / 2));
  const quantile = (values: Float32Array, q: number) => values[Math.round((values.length - 1) * q)]!;
  // A face that is wider than the window is held when its middle is.
  const excess = oneFace ? Math.max(0, largest - window) : 0;
  return {
    low: quantile(ends, 0.98) + room - window - excess,
    high: quantile(starts, 0.02) - room + excess,
    centre: quantile(centres, 0.5),
    range: quantile(centres, 0.98) - quantile(centres, 0.02),
    size: quantile(sizes, 0.5),
  };
}

/** Replaces each longest run of positions that fits `2 × radius` by one value: where it mostly is. */
function restPositions(position: Float32Array, radius: Float32Array): Float32Array {
  const rests = new Float32Array(position.length);
  let start = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (let i = 0; i <= position.length; i++) {
    const value = position[i];
    const nextLow = Math.min(low, value ?? low);
    const nextHigh = Math.max(high, value ?? high);
    if (value === undefined || (i > start && nextHigh - nextLow > 2 * radius[i]!)) {
      rests.fill(median(position.subarray(start, i)), start, i);
      start = i;
      low = high = value ?? 0;
    } else {
      low = nextLow;
      high = nextHigh;
    }
  }
  return rests;
}

/** Moving average over `2 × half + 1` values; beyond the ends the end value goes on. */
function average(values: Float32Array, half: number): Float32Array {
  const last = values.length - 1;
  const at = (i: number) => values[clamp(i, 0, last)]!;
  const result = new Float32Array(values.length);
  let sum = 0;
  for (let i = -half; i <= half; i++) sum += at(i);
  for (let i = 0; i <= last; i++) {
    result[i] = sum / (2 * half + 1);
    sum += at(i + half + 1) - at(i - half);
  }
  return result;
}

/**
 * The nearest path that never moves by more than `step` per frame: the mean of the highest path below and
 * the lowest path above, so that a move that is too fast starts earlier and ends later.
 */
function capSpeed(values: Float32Array, step: number): Float32Array {
  const above = Float32Array.from(values);
  const below = Float32Array.from(values);
  for (let i = 1; i < values.length; i++) {
    above[i] = Math.max(above[i]!, above[i - 1]! - step);
    below[i] = Math.min(below[i]!, below[i - 1]! + step);
  }
  for (let i = values.length - 2; i >= 0; i--) {
    above[i] = Math.max(above[i]!, above[i + 1]! - step);
    below[i] = Math.min(below[i]!, below[i + 1]! + step);
  }
  return above.map((value, i) => (value + below[i]!) / 2);
}

/** Drops the keys that lie within `tolerance` of the line between those kept (Ramer–Douglas–Peucker). */
function thin(x: Float32Array, y: Float32Array, tolerance: number): CameraKey[] {
  const last = x.length - 1;
  const kept = new Set([0, last]);
  const open: [number, number][] = [[0, last]];
  for (let span = open.pop(); span; span = open.pop()) {
    const [a, b] = span;
    let worst = tolerance;
    let at = -1;
    for (let i = a + 1; i < b; i++) {
      const ratio = (i - a) / (b - a);
      const off = Math.max(
        Math.abs(x[a]! + (x[b]! - x[a]!) * ratio - x[i]!),
        Math.abs(y[a]! + (y[b]! - y[a]!) * ratio - y[i]!),
      );
      if (off > worst) [worst, at] = [off, i];
    }
    if (at < 0) continue;
    kept.add(at);
    open.push([a, at], [at, b]);
  }
  const keys = [...kept].sort((a, b) => a - b).map(at => ({ at, x: x[at]!, y: y[at]! }));
  const still = keys.every(key => Math.hypot(key.x - keys[0]!.x, key.y - keys[0]!.y) < tolerance);
  return still ? keys.slice(0, 1) : keys;
}

/** A window centred on a box, of the window's aspect and holding the box where the source allows it. */
export function windowAround(box: PixelBox, nominal: Size, source: Size): PixelBox {
  const scale = clamp(Math.max(box.width / nominal.width, box.height / nominal.height), 0.05, 1);
  const width = nominal.width * scale;
  const height = nominal.height * scale;
  return {
    x: inside(box.x + (box.width - width) / 2, width, source.width),
    y: inside(box.y + (box.height - height) / 2, height, source.height),
    width,
    height,
  };
}
