import { lerp } from '../series.js';
import {
  boundsOf,
  type CameraKey,
  type CameraOptions,
  defaultCameraOptions,
  holdStill,
  type Shooting,
} from './camera.js';
import type { Focus } from './focus.js';
import { followFocus } from './follow-focus.js';

/** A move is drawn by so many keys: straight lines between them are as good as the curve. */
const keysPerMove = 10;

/**
 * A camera on a tripod: still for as long as the head stays in the window's safe area, then one eased move to where it
 * rests again, or a cut where that is far. Where it would rest for too short a time, somebody walks, and the camera goes
 * along (`followFocus`).
 *
 * @returns Keys with straight lines between them; the first at frame 0.
 */
export function lockFocus(
  focus: Focus,
  shooting: Shooting,
  options: CameraOptions = defaultCameraOptions,
): CameraKey[] {
  const still = holdStill(focus, shooting, options);
  if (still) return [{ at: 0, ...still }];
  const { stepSec } = shooting;
  const rests = restsOf(focus, shooting, options);
  const isWalk = rests.some(({ start, end }) => (end - start) * stepSec < options.minRestSec);
  if (isWalk || rests.some(({ corner }) => !corner)) return followFocus(focus, shooting, options);
  return rests.flatMap((rest, i) => {
    const before = rests[i - 1];
    return before
      ? move(before.corner!, rest.corner!, rest.start, shooting, options)
      : [{ at: 0, ...rest.corner! }];
  });
}

type Rest = {
  readonly start: number;
  readonly end: number;
  readonly corner?: { x: number; y: number } | undefined;
};

/** The longest runs that one unmoving window holds, one after another. */
function restsOf(focus: Focus, shooting: Shooting, options: CameraOptions): Rest[] {
  const { stepSec, crop } = shooting;
  const length = focus.x.length;
  const step = Math.max(1, Math.round(options.maxOutSec / stepSec));
  const holds = (start: number, end: number) => {
    const { low, high } = boundsOf(part(focus, start, end), 'x', { crop, stepSec }, options);
    return low <= high + 1e-6;
  };
  const rests: Rest[] = [];
  for (let start = 0; start < length; ) {
    // Doubling, then halving: every frame is looked at a few times, however long a rest is.
    let size = step;
    while (start + size < length && holds(start, Math.min(length, start + 2 * size))) size *= 2;
    let good = Math.min(length, start + size);
    let bad = Math.min(length, start + 2 * size);
    while (bad - good > 1) {
      const middle = (good + bad) >> 1;
      if (holds(start, middle)) good = middle;
      else bad = middle;
    }
    rests.push({ start, end: good, corner: holdStill(part(focus, start, good), shooting, options) });
    start = good;
  }
  return rests;
}

/** An eased move around a moment: minimum jerk (Flash and Hogan 1985), at rest before and after. */
function move(
  from: { x: number; y: number },
  to: { x: number; y: number },
  around: number,
  { crop, stepSec }: Shooting,
  { moveSpeedPerSec, minMoveSec, maxMoveRatio }: CameraOptions,
): CameraKey[] {
  const way = Math.abs(to.x - from.x) / crop.width;
  if (way > maxMoveRatio)
    return [
      { at: around - 1, ...from },
      { at: around, ...to },
    ];
  const half = Math.round(Math.max(minMoveSec, way / moveSpeedPerSec) / 2 / stepSec);
  return Array.from({ length: keysPerMove + 1 }, (_, k) => {
    const t = k / keysPerMove;
    const ratio = t * t * t * (10 - 15 * t + 6 * t * t);
    return {
      at: around - half + Math.round(2 * half * t),
      x: lerp(from.x, to.x, ratio),
      y: lerp(from.y, to.y, ratio),
    };
  });
}

const part = (focus: Focus, start: number, end: number): Focus => ({
  x: focus.x.subarray(start, end),
  y: focus.y.subarray(start, end),
  width: focus.width.subarray(start, end),
  height: focus.height.subarray(start, end),
  moves: focus.moves,
});
