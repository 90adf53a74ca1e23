import { clamp, median } from '../series.js';
import {
  type CameraKey,
  type CameraOptions,
  defaultCameraOptions,
  inside,
  lift,
  lookRoom,
  type Shooting,
} from './camera.js';
import type { Focus } from './focus.js';

/**
 * Follows a moving focus as an operator would: rests while the subject stays in the dead zone, then goes to
 * where the subject will be next, easing in and out and beginning before the subject has left. Speed is
 * capped.
 *
 * Rest positions are the longest runs whose range fits the dead zone; three passes of a moving average ease between them
 * and look ahead, because the average is centred. Three make the jerk finite (a step becomes three parabolas, as in
 * minimum-jerk motion), in time linear in the length, where L1 paths (Grundmann, Kwatra and Essa 2011) need a solver.
 *
 * @returns Keys with straight lines between them; the first at frame 0.
 */
export function followFocus(
  focus: Focus,
  { crop, source, stepSec, turn }: Shooting,
  options: CameraOptions = defaultCameraOptions,
): CameraKey[] {
  const axis = (
    position: Float32Array,
    size: Float32Array,
    extent: { crop: number; source: number; shift: (size: number, middle: number) => number },
  ) => {
    const wanted = position.map((value, i) => {
      const middle = value + size[i]! / 2;
      return middle + extent.shift(size[i]!, middle);
    });
    // How far the window may be off before the face is cut, with a little room while there is any.
    const slack = size.map(value => Math.max(0.02 * extent.crop, (extent.crop - 1.1 * value) / 2));
    const calm = average(wanted, Math.round(0.12 / stepSec));
    const rests = restPositions(
      calm,
      slack.map(s => Math.min(options.deadZoneRatio * extent.crop, 0.6 * s)),
    );
    const third = Math.round(options.easeSec / 3 / stepSec);
    const eased = average(average(average(rests, third), third), third);
    const held = eased.map((value, i) => clamp(value, calm[i]! - slack[i]!, calm[i]! + slack[i]!));
    const capped = capSpeed(held, options.maxSpeedPerSec * crop.width * stepSec);
    // What clamps and cap have broken is made round again.
    return average(average(capped, third >> 1), third >> 1).map(value =>
      inside(value - extent.crop / 2, extent.crop, extent.source),
    );
  };
  const x = axis(focus.x, focus.width, {
    crop: crop.width,
    source: source.width,
    shift: (_, middle) => lookRoom(middle, { crop, source, turn }, options),
  });
  const y = axis(focus.y, focus.height, {
    crop: crop.height,
    source: source.height,
    shift: size => lift(size, crop.height, options),
  });
  return thin(x, y, options.thinRatio * crop.width);
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
