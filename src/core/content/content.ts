import type { Content } from '../../schema/content.js';
import type { PixelBox, Size } from '../../schema/geometry.js';
import type { SourceClock } from '../../schema/time.js';
import { centre } from '../box.js';
import type { Shot } from '../shot-boundaries.js';
import type { FaceTrack } from '../tracks.js';
import type { BarRun } from './bar-runs.js';
import { type Bars, decideBars } from './decide-bars.js';
import type { ReadSpan } from './read-boxes.js';

/** What was seen beside faces, before it is known which shots there are; boxes in pixels of looks. */
export type ContentEvidence = {
  /** Of the looks. */
  readonly size: Size;
  readonly bars: readonly BarRun[];
  readonly read: readonly ReadSpan[];
};

/**
 * Writes what was seen as the wire's `content`.
 *
 * @param faces - Of the result; nobody's face is in a bar.
 * @param source - The source's clock and displayed size.
 */
export function toContent(
  evidence: ContentEvidence,
  shots: readonly Shot[],
  faces: readonly FaceTrack[],
  source: SourceClock & Size,
): Content {
  const { size } = evidence;
  const bars = decideBars(evidence.bars, shots, size);
  const minFrames = minReadSec * source.frameRateHz;
  return {
    model: 'content',
    video_fps: source.frameRateHz,
    total_frames: source.totalFrames,
    width: source.width,
    height: source.height,
    shots: shots.map(({ startFrame, endFrame }, scene_id) => {
      const own = facesIn(faces, startFrame, endFrame);
      const shown = withoutBarsOnFaces(inSource(bars[scene_id]!, size, source), own, source);
      return {
        scene_id,
        start_frame: startFrame,
        end_frame: endFrame,
        picture: shown.picture,
        bars: shown.kind,
        rectangles: evidence.read.flatMap(span => {
          const [from, to] = [Math.max(startFrame, span.startFrame), Math.min(endFrame, span.endFrame)];
          if (to - from < minFrames) return [];
          const { kind, confidence } = span;
          return [{ ...around(span, size, source), kind, start_frame: from, end_frame: to, confidence }];
        }),
        motion: [],
        turned: [],
      };
    }),
  };
}

/** Faces with boxes in these frames. */
const facesIn = (faces: readonly FaceTrack[], startFrame: number, endFrame: number): FaceTrack[] =>
  faces.filter(
    ({ boxes }) =>
      boxes.length > 0 && boxes[0]!.frameNumber < endFrame && boxes.at(-1)!.frameNumber >= startFrame,
  );

/** In whole pixels of the source, rounded to the inside: a line of bar is seen, a line of picture is not missed. */
function inSource({ kind, picture }: Bars, size: Size, source: Size): Bars {
  if (kind === 'none') return { kind, picture: { x: 0, y: 0, width: source.width, height: source.height } };
  const [across, down] = [source.width / size.width, source.height / size.height];
  const x = Math.ceil(picture.x * across - slack);
  const y = Math.ceil(picture.y * down - slack);
  const right = Math.floor((picture.x + picture.width) * across + slack);
  const bottom = Math.floor((picture.y + picture.height) * down + slack);
  return { kind, picture: { x, y, width: right - x, height: bottom - y } };
}

/** What is to be read in a shot for less than this is not worth a rectangle; seconds. */
const minReadSec = 0.5;

/** In whole pixels of the source, with half a pixel of the look more on each side: letters shall not be cut. */
function around({ x, y, width, height }: PixelBox, size: Size, source: Size): PixelBox {
  const [across, down] = [source.width / size.width, source.height / size.height];
  const left = Math.max(0, Math.floor((x - 0.5) * across));
  const top = Math.max(0, Math.floor((y - 0.5) * down));
  const right = Math.min(source.width, Math.ceil((x + width + 0.5) * across));
  const bottom = Math.min(source.height, Math.ceil((y + height + 0.5) * down));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** What an edge may be off, in pixels of the source, before a further line is given up. */
const slack = 0.35;

function withoutBarsOnFaces(bars: Bars, faces: readonly FaceTrack[], source: Size): Bars {
  const holds = ({ x, y, width, height }: PixelBox, box: PixelBox) => {
    const at = centre(box);
    return at.x >= x && at.y >= y && at.x <= x + width && at.y <= y + height;
  };
  const isOnBar = faces.some(({ boxes }) => boxes.some(box => !holds(bars.picture, box)));
  return isOnBar
    ? { kind: 'none', picture: { x: 0, y: 0, width: source.width, height: source.height } }
    : bars;
}
