import type { PixelBox } from '../../schema/geometry.js';
import type { Keyframe, Panel } from '../../schema/plan.js';
import type { Piece } from './piece.js';
import type { Path } from './shoot.js';
import type { ShotScene } from './shot-scene.js';

/** A path as a panel of the wire. */
export function toPanel(
  {
    box,
    path,
    piece,
    faceId,
    personId,
    cornerRadius,
  }: {
    box: PixelBox;
    path: Path;
    piece: Piece;
    faceId?: number;
    personId?: number;
    cornerRadius?: number;
  },
  { shot, timeline }: ShotScene,
): Panel {
  return {
    ...(faceId === undefined ? {} : { face_id: faceId }),
    ...(personId === undefined ? {} : { person_id: personId }),
    ...(cornerRadius ? { corner_radius: cornerRadius } : {}),
    output: box,
    keyframes: path.map(({ at, ...window }): Keyframe => {
      const frame_number = shot.start + piece.start + at;
      const corner = { x: round(window.x), y: round(window.y) };
      return {
        frame_number,
        timestamp: timeline.timeSec(frame_number),
        ...corner,
        // Rounded sides must not reach over the source's edge.
        width: Math.min(round(window.width), timeline.width - corner.x),
        height: Math.min(round(window.height), timeline.height - corner.y),
      };
    }),
  };
}

/** Hundredths of a pixel: finer differences cannot be seen, and plans stay small. */
const round = (value: number) => Math.round(value * 100) / 100;
