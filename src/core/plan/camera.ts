import type { PixelBox, Size } from '../../schema/geometry.js';
import { clamp, nth, sample } from '../series.js';
import { avoidCutFaces } from './compose.js';
import { type Focus, usual } from './focus.js';

export type CameraOptions = {
  /** Where the eyes go, in window heights from the top: a third, as on any portrait. */
  readonly eyeHeightRatio: number;
  /** How far the eyes lie above the middle of a face's box, in face heights. */
  readonly eyeRatio: number;
  /** Room left above a face for hair and forehead, in face heights: the larger the head, the larger the room in pixels. */
  readonly headroomRatio: number;
  /** Room left below a face, so that no edge lies on the chin, in face heights. */
  readonly chinRoomRatio: number;
  /**
   * Room on the side that a face looks to, in window widths. Where landmarks do not say which, whoever is placed on one
   * side of the picture looks to the other, as interviews are set up.
   */
  readonly lookRoomRatio: number;
  /** From this turn of a head on (`gazes` of `content`) it has look-room, and so much further on all of it. */
  readonly turnFrom: number;
  /** From this distance to the middle of the picture on a face has look-room, and so much further on all of it; in widths of the picture. */
  readonly lookFromRatio: number;
  /** Room left on either side of a face, in face widths. */
  readonly sideRoomRatio: number;
  /** A still window may cut this share of a face: better than a camera that trembles along with one that fills it. */
  readonly maxCutRatio: number;
  /** A head may leave its safe area for so long before a locked camera moves. Seconds. */
  readonly maxOutSec: number;
  /** A locked camera goes this many window widths per second, and no faster than `minMoveSec`. */
  readonly moveSpeedPerSec: number;
  /** Shortest move of a locked camera. Seconds. */
  readonly minMoveSec: number;
  /** What is further away, in window widths, is cut to. */
  readonly maxMoveRatio: number;
  /** A locked camera that would rest shorter than this between moves follows instead: somebody walks. Seconds. */
  readonly minRestSec: number;
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
  eyeHeightRatio: 1 / 3,
  eyeRatio: 0.1,
  headroomRatio: 0.25,
  chinRoomRatio: 0.25,
  lookRoomRatio: 0.06,
  turnFrom: 0.12,
  lookFromRatio: 0.12,
  sideRoomRatio: 0.12,
  maxCutRatio: 0.06,
  maxOutSec: 0.5,
  moveSpeedPerSec: 0.75,
  minMoveSec: 0.6,
  maxMoveRatio: 0.9,
  minRestSec: 1.5,
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
  /** To which side the subject looks: −1 (left) to 1 (right); absent where unknown. */
  readonly turn?: number;
};

/** The window's corner at a frame of the stretch, counted from its start. */
export type CameraKey = { readonly at: number; readonly x: number; readonly y: number };

/**
 * The window that holds the focus all through without moving.
 *
 * @returns The window's corner, or nothing where the focus leaves the window's safe area for too long: a face for more
 *   than `maxOutSec`, one face after another at all.
 */
export function holdStill(
  focus: Focus,
  { crop, source, stepSec, turn, bystanders = [] }: Shooting,
  options: CameraOptions = defaultCameraOptions,
): { x: number; y: number } | undefined {
  const across = boundsOf(focus, 'x', { crop, stepSec }, options);
  if (across.low - across.high > (focus.moves ? 2 * options.maxCutRatio * across.size : 1e-6))
    return undefined;
  const down = boundsOf(focus, 'y', { crop, stepSec }, options);
  const middleX = across.centre - crop.width / 2 + lookRoom(across.centre, { crop, source, turn }, options);
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

/** How far the window goes towards the side that a face looks to, in pixels. */
export function lookRoom(
  faceX: number,
  { crop, source, turn }: { crop: Size; source: Size; turn?: number | undefined },
  { lookRoomRatio, lookFromRatio, turnFrom }: CameraOptions,
): number {
  const off = 0.5 - faceX / source.width;
  const [side, from] = turn === undefined ? [off, lookFromRatio] : [turn, turnFrom];
  const share = clamp((Math.abs(side) - from) / from, 0, 1);
  return Math.sign(side) * share * lookRoomRatio * crop.width;
}

/** The value nearest to `wanted` between two limits; half-way where the limits contradict each other. */
export const nearest = (wanted: number, { low, high }: { low: number; high: number }): number =>
  low <= high ? clamp(wanted, low, high) : (low + high) / 2;

/** Keeps a window of a size within the source. */
export const inside = (corner: number, size: number, limit: number): number =>
  clamp(corner, 0, Math.max(0, limit - size));

/**
 * How far the window's middle lies below the face's: the eyes are a third from the top, with room for the hair of a large
 * head, and for the chin of one that fills the window.
 */
export const lift = (faceHeight: number, cropHeight: number, options: CameraOptions): number => {
  const forEyes = (0.5 - options.eyeHeightRatio) * cropHeight - options.eyeRatio * faceHeight;
  const forHair = cropHeight / 2 - (0.5 + options.headroomRatio) * faceHeight;
  const forChin = (0.5 + options.chinRoomRatio) * faceHeight - cropHeight / 2;
  return forHair < forChin ? (forHair + forChin) / 2 : clamp(forEyes, forChin, Math.max(forHair, forChin));
};

/** Bounds are taken of so many moments a second: heads are slower. */
const sampleRateHz = 8;

/**
 * Where a window's corner may be so that the focus stays inside, along one axis. A single face may be outside for a
 * moment (`maxOutSec`): only what holds for longer binds the window.
 */
export function boundsOf(
  focus: Focus,
  axis: 'x' | 'y',
  { crop, stepSec }: Pick<Shooting, 'crop' | 'stepSec'>,
  options: CameraOptions,
) {
  const [position, size] = axis === 'x' ? [focus.x, focus.width] : [focus.y, focus.height];
  const window = axis === 'x' ? crop.width : crop.height;
  const stride = Math.max(1, Math.round(1 / sampleRateHz / stepSec));
  const count = Math.ceil(position.length / stride);
  const centres = new Float32Array(count);
  const sizes = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    centres[k] = position[k * stride]! + size[k * stride]! / 2;
    sizes[k] = size[k * stride]!;
  }
  const largest = nth(sample(sizes, 1), Math.floor(0.9 * (count - 1)));
  const roomRatio = axis === 'x' ? options.sideRoomRatio : 0.05;
  const limits = { window, largest, roomRatio, oneFace: focus.moves };
  const low = new Float32Array(count);
  const high = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    low[k] = lowest(centres[k]!, sizes[k]!, limits);
    high[k] = -highest(centres[k]!, sizes[k]!, limits);
  }
  const span = focus.moves ? 1 + Math.round(options.maxOutSec / stepSec / stride) : 1;
  return {
    low: lasting(low, span),
    high: -lasting(high, span),
    centre: usual(centres),
    size: usual(sizes),
  };
}

type Limits = {
  readonly window: number;
  readonly largest: number;
  readonly roomRatio: number;
  readonly oneFace: boolean;
};
/** A face that is wider than the window is held when its middle is. */
const roomOf = (size: number, { window, largest, roomRatio, oneFace }: Limits) =>
  size > window ? (oneFace ? (window - size) / 2 : 0) : clamp(roomRatio * largest, 0, (window - size) / 2);
/** The leftmost window that holds a face of a size around a place. */
const lowest = (centre: number, size: number, limits: Limits): number =>
  centre + size / 2 + roomOf(size, limits) - limits.window;
/** The rightmost window that holds a face of a size around a place. */
const highest = (centre: number, size: number, limits: Limits): number =>
  centre - size / 2 - roomOf(size, limits);

/**
 * The most that values come to and keep up for `span` of them. Runs begin before the first value too, because what is
 * outside there does not come from inside, and end behind the last one.
 */
function lasting(values: Float32Array, span: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 1 - span; i < values.length; i++) {
    const end = Math.min(values.length, i + span);
    let least = Number.POSITIVE_INFINITY;
    for (let j = Math.max(0, i); j < end && least > most; j++) least = Math.min(least, values[j]!);
    most = Math.max(most, least);
  }
  return most;
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
