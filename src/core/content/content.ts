import type { Content } from '../../schema/content.js';
import type { PixelBox, Size } from '../../schema/geometry.js';
import type { FrameTime, SourceClock } from '../../schema/time.js';
import { centre, iou } from '../box.js';
import { countBelow } from '../series.js';
import type { Shot } from '../shot-boundaries.js';
import type { FaceTrack, TrackBox } from '../tracks.js';
import type { AttentionPoint } from './attention.js';
import type { BarRun } from './bar-runs.js';
import { type Bars, decideBars } from './decide-bars.js';
import type { Gaze } from './gazes.js';
import type { ReadSpan } from './read-boxes.js';
import type { TurnedRun } from './turned-heads.js';

type ShotContent = Content['shots'][number];

/** What was seen beside faces, before it is known which shots there are; boxes in pixels of looks. */
export type ContentEvidence = {
  /** Of the looks. */
  readonly size: Size;
  readonly bars: readonly BarRun[];
  readonly read: readonly ReadSpan[];
  readonly attention: readonly AttentionPoint[];
  readonly turned: readonly TurnedRun[];
  readonly gazes: readonly Gaze[];
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
          return [
            {
              ...around(span, size, source),
              kind,
              start_frame: from,
              end_frame: to,
              confidence: Math.round(confidence * 1000) / 1000,
            },
          ];
        }),
        motion: framesIn(evidence.attention, startFrame, endFrame).map(point =>
          writeBox(point, scaled(point, source)),
        ),
        turned: turnedIn(evidence.turned, own, { startFrame, endFrame }),
        gazes: gazesIn(framesIn(evidence.gazes, startFrame, endFrame), own),
      };
    }),
  };
}

/**
 * Heads of a shot that were faces of the result, by face. What was followed from a sighting that made no face is left out,
 * and so is what was followed while the face, or another one in its place, is there.
 */
function turnedIn(
  runs: readonly TurnedRun[],
  faces: readonly FaceTrack[],
  { startFrame, endFrame }: { readonly startFrame: number; readonly endFrame: number },
): ShotContent['turned'] {
  const turned = new Map<number, ShotContent['turned'][number]>();
  for (const { last, boxes } of runs) {
    if (last.frameNumber < startFrame || last.frameNumber >= endFrame) continue;
    const face = faces.find(track => isThere(track, last, 0.5));
    if (!face) continue;
    const free = boxes.filter(
      box =>
        box.frameNumber < endFrame &&
        !boxAt(face, box.frameNumber) &&
        !faces.some(other => isThere(other, box, 0.3)),
    );
    if (!free.length) continue;
    const known = turned.get(face.faceId) ?? { face_id: face.faceId, boxes: [] };
    known.boxes.push(...free.map(box => writeBox(box, box)));
    turned.set(face.faceId, known);
  }
  return [...turned.values()];
}

/** Where faces look; what was seen of none of them is left out. */
const gazesIn = (gazes: readonly Gaze[], faces: readonly FaceTrack[]): NonNullable<ShotContent['gazes']> =>
  gazes.flatMap(gaze => {
    const face = faces.find(track => isThere(track, gaze, 0.5));
    const { frameNumber: frame_number, timeSec: timestamp, turn } = gaze;
    return face ? [{ face_id: face.faceId, frame_number, timestamp, turn }] : [];
  });

const frameOf = ({ frameNumber }: FrameTime) => frameNumber;

/** Those of a shot, of what is in time order. */
function framesIn<T extends FrameTime>(
  all: readonly T[],
  startFrame: number,
  endFrame: number,
): readonly T[] {
  return all.slice(countBelow(all, startFrame, frameOf), countBelow(all, endFrame, frameOf));
}

/** A face's box in a frame; its boxes are in order, one per frame at most. */
function boxAt({ boxes }: FaceTrack, frameNumber: number): TrackBox | undefined {
  const box = boxes[countBelow(boxes, frameNumber, frameOf)];
  return box?.frameNumber === frameNumber ? box : undefined;
}

/** Whether the face is in the place of a box, in the box's frame. */
function isThere(face: FaceTrack, box: TrackBox, minIou: number): boolean {
  const own = boxAt(face, box.frameNumber);
  return own !== undefined && iou(own, box) >= minIou;
}

const scaled = ({ x, y, width, height }: PixelBox, by: Size): PixelBox => ({
  x: x * by.width,
  y: y * by.height,
  width: width * by.width,
  height: height * by.height,
});

/** Tenths of a pixel are enough. */
const tenth = (value: number) => Math.round(value * 10) / 10;
const writeBox = (
  { frameNumber, timeSec, confidence }: FrameTime & { readonly confidence: number },
  { x, y, width, height }: PixelBox,
) => ({
  frame_number: frameNumber,
  timestamp: timeSec,
  ...{ x: tenth(x), y: tenth(y), width: tenth(width), height: tenth(height) },
  confidence: Math.round(confidence * 1000) / 1000,
});

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
