import type { PixelBox, Size } from '../../schema/geometry.js';
import { type CameraKey, defaultCameraOptions, holdStill, type Shooting } from './camera.js';
import { bystandersOf } from './compose.js';
import { type Focus, focusOn, joinFocus } from './focus.js';
import { followFocus } from './follow-focus.js';
import { gazeOf } from './gaze.js';
import { lockFocus } from './lock-focus.js';
import type { Piece, Stretch } from './piece.js';
import type { ShotScene } from './shot-scene.js';

/** A window over time: straight lines between entries, constant after the last; `at` counts frames of the piece, from 0. */
export type Path = readonly (PixelBox & { readonly at: number })[];

/** The path of a window of one size on one face after another, inside the picture. */
export function shootFaces(stretches: readonly Stretch[], crop: Size, scene: ShotScene): Path {
  const { faces, weights, stepSec, request, content } = scene;
  const range = { start: stretches[0]!.start, end: stretches.at(-1)!.end };
  const subjects = [...new Set(stretches.map(stretch => stretch.face))];
  const own = focusOn(stretches, faces);
  // Whoever else speaks meanwhile is taken into the picture where one window holds them all.
  const speakers = joinFocus(own, range, { faces, weights, minFrames: 0.5 / stepSec });
  const turn = subjects.length > 1 ? undefined : gazeOf(faces[subjects[0]!]!, range, scene);
  const shooting = {
    ...{ crop, stepSec, bystanders: bystandersOf(range, subjects, scene) },
    ...(turn !== undefined && { turn }),
  };
  return inPicture(content.picture, crop, origin => {
    const shot: Shooting = {
      ...shooting,
      source: content.picture,
      bystanders: shooting.bystanders.map(box => ({ ...box, x: box.x - origin.x, y: box.y - origin.y })),
    };
    const { turn: _, ...shared } = shot;
    const together = speakers && holdStill(moved(speakers, origin), shared);
    if (together) return [{ at: 0, ...together }];
    const focus = moved(own, origin);
    if (request.camera === 'follow' && own.moves) return followFocus(focus, shot);
    return lockFocus(focus, shot);
  });
}

/** Calmer than after a face: what moves is not known so well. */
const motionOptions = { ...defaultCameraOptions, deadZoneRatio: 0.2, easeSec: 1.6, maxSpeedPerSec: 0.5 };

/** The path of a window on what moves and stands out. */
export function shootMotion(piece: Piece, crop: Size, { content, shot, stepSec }: ShotScene): Path {
  const length = piece.end - piece.start;
  const side = () => new Float32Array(length);
  const focus = { x: side(), y: side(), width: side(), height: side(), moves: true };
  const first = shot.start + piece.start;
  const seen = content.motion.filter(box => box.frame_number >= first && box.frame_number < first + length);
  let k = 0;
  for (let i = 0; i < length; i++) {
    while (k + 1 < seen.length && seen[k + 1]!.frame_number <= first + i) k++;
    const [from, to] = [seen[k]!, seen[Math.min(k + 1, seen.length - 1)]!];
    const way = to.frame_number - from.frame_number;
    const ratio = way ? Math.min(1, Math.max(0, (first + i - from.frame_number) / way)) : 0;
    for (const name of ['x', 'y', 'width', 'height'] as const)
      focus[name][i] = from[name] + (to[name] - from[name]) * ratio;
  }
  return inPicture(content.picture, crop, origin => {
    const shooting = { crop, stepSec, source: content.picture };
    const still = holdStill(moved(focus, origin), shooting, motionOptions);
    return still ? [{ at: 0, ...still }] : followFocus(moved(focus, origin), shooting, motionOptions);
  });
}

/** Films in coordinates of the picture without its bars, and gives the path in those of the source. */
function inPicture(
  picture: PixelBox,
  crop: Size,
  film: (origin: { x: number; y: number }) => readonly CameraKey[],
): Path {
  const { x, y } = picture;
  return film({ x, y }).map(key => ({ at: key.at, x: key.x + x, y: key.y + y, ...crop }));
}

function moved(focus: Focus, origin: { x: number; y: number }): Focus {
  if (!origin.x && !origin.y) return focus;
  return { ...focus, x: focus.x.map(x => x - origin.x), y: focus.y.map(y => y - origin.y) };
}
