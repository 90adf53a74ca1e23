import type { Content } from '../../schema/content.js';
import type { PixelBox } from '../../schema/geometry.js';
import type { AnalysisParts } from '../../schema/result.js';
import { overlapArea } from '../box.js';
import type { Shot, Timeline } from './timeline.js';

type WireShot = Content['shots'][number];

/** What is known of a shot beside its faces. */
export type ShotContent = {
  /** The picture without bars, in whole pixels: crops stay inside. */
  readonly picture: PixelBox;
  /** Lettering that must not be cut. Frames are counted from the shot's start. */
  readonly texts: readonly TimedBox[];
  /** Slides and screens, the most certain first. */
  readonly screens: readonly TimedBox[];
  /** Where something moves and stands out. */
  readonly motion: WireShot['motion'];
  /** Where faces look, in time order. */
  readonly gazes: NonNullable<WireShot['gazes']>;
};

/** A box from a frame of the shot to another, exclusive. */
export type TimedBox = { readonly box: PixelBox; readonly start: number; readonly end: number };

/** What is less certain than this is taken for texture. */
const minConfidence = 0.5;
/** A screen below this share of the picture's area is furniture. */
const minScreenRatio = 0.12;

/** The content of the shot that most of a plan's shot lies in; plans may be cut where content is not. */
export function contentOf(parts: AnalysisParts, { start, end }: Shot): WireShot | undefined {
  const common = (shot: WireShot) => Math.min(end, shot.end_frame) - Math.max(start, shot.start_frame);
  return parts.content?.shots.reduce<WireShot | undefined>(
    (best, shot) => (common(shot) > (best ? common(best) : 0) ? shot : best),
    undefined,
  );
}

/** Reads the content of a shot; without a content part the picture is the whole source, and nothing else is known. */
export function readContent(parts: AnalysisParts, shot: Shot, timeline: Timeline): ShotContent {
  const whole = { x: 0, y: 0, width: timeline.width, height: timeline.height };
  const found = contentOf(parts, shot);
  if (!found) return { picture: whole, texts: [], screens: [], motion: [], gazes: [] };
  const picture = found.bars === 'none' ? whole : within(found.picture, whole);
  const timed = found.rectangles
    .filter(({ confidence }) => confidence >= minConfidence)
    .map(({ kind, confidence, start_frame, end_frame, ...box }) => ({
      kind,
      confidence,
      box: within(box, picture),
      start: Math.max(0, start_frame - shot.start),
      end: Math.min(shot.end, end_frame) - shot.start,
    }))
    .filter(({ start, end, box }) => start < end && box.width > 0 && box.height > 0);
  const area = picture.width * picture.height;
  return {
    picture,
    texts: timed.filter(({ kind }) => kind === 'text'),
    screens: timed
      .filter(({ kind, box }) => kind === 'screen' && overlapArea(box, picture) >= minScreenRatio * area)
      .sort((a, b) => b.confidence - a.confidence),
    motion: found.motion.filter(({ frame_number }) => frame_number >= shot.start && frame_number < shot.end),
    gazes: found.gazes ?? [],
  };
}

function within(box: PixelBox, outer: PixelBox): PixelBox {
  const x = Math.max(outer.x, Math.ceil(box.x));
  const y = Math.max(outer.y, Math.ceil(box.y));
  const right = Math.min(outer.x + outer.width, Math.floor(box.x + box.width));
  const bottom = Math.min(outer.y + outer.height, Math.floor(box.y + box.height));
  return { x, y, width: Math.max(0, right - x), height: Math.max(0, bottom - y) };
}
