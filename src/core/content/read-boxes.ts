import type { Size } from '../../schema/geometry.js';
import { iou, overlapArea } from '../box.js';
import { lerp } from '../series.js';
import type { Look } from './look.js';
import { createStillEdges, type StillEdgesState, stillPictures } from './still-edges.js';
import { findReadBoxes, type ReadBox } from './text-blocks.js';
import { findTextLines } from './text-lines.js';

/** Something to be read, and the frames in which it is there (`endFrame` exclusive); in pixels of looks. */
export type ReadSpan = ReadBox & { readonly startFrame: number; readonly endFrame: number };

/** Letters are looked for this often, seconds: what is there for less than a second nobody reads. */
const stepSec = 0.38;
/** The same box in two pictures overlaps by this, or lies in the other by this much. */
const [minIou, minInside] = [0.5, 0.85];

/** Follows what is to be read. Its state survives a structured clone. */
export interface ReadFolder {
  push(look: Look): void;
  /** All that was to be read so far. */
  spans(): readonly ReadSpan[];
  save(): unknown;
}

/** Something that is there now. */
type Open = ReadSpan & { readonly sightings: number };
type State = {
  readonly edges: StillEdgesState;
  readonly closed: readonly ReadSpan[];
  readonly open: readonly Open[];
  /** Frames of the last pictures, the newest last. */
  readonly frames: readonly number[];
  readonly lastSec: number;
};

/** @param saved - State of another folder; the new folder goes on from there. */
export function createReadFolder(size: Size, saved?: unknown): ReadFolder {
  const before = saved as State | undefined;
  const edges = createStillEdges(size, before?.edges);
  const closed = [...(before?.closed ?? [])];
  let open = before?.open ?? [];
  let frames = before?.frames ?? [];
  let lastSec = before?.lastSec ?? Number.NEGATIVE_INFINITY;

  return {
    push({ frameNumber, timeSec, luma }) {
      if (timeSec - lastSec < stepSec) return;
      lastSec = timeSec;
      const earlier = edges.luma.slice();
      edges.push(luma);
      frames = [...frames.slice(1 - stillPictures), frameNumber];
      const letters = edges.letterEdges();
      const lines = findTextLines(letters, luma, size);
      const boxes = findReadBoxes(lines, { luma, before: earlier, edges: letters, size });
      const left = [...boxes];
      const still: Open[] = [];
      for (const span of open) {
        const at = left.findIndex(box => isSame(span, box));
        if (at < 0) closed.push(spanOf(span));
        else still.push(grown(span, left.splice(at, 1)[0]!, frameNumber));
      }
      const startFrame = frames[0]!;
      const fresh = left.map(box => ({ ...box, startFrame, endFrame: frameNumber + 1, sightings: 1 }));
      open = [...still, ...fresh];
    },
    spans: () => [...closed, ...open.map(spanOf)],
    save: (): State => ({ edges: edges.save(), closed: [...closed], open, frames, lastSec }),
  };
}

const isSame = (a: ReadBox, b: ReadBox): boolean =>
  a.kind === b.kind &&
  (iou(a, b) >= minIou || overlapArea(a, b) >= minInside * Math.min(a.width * a.height, b.width * b.height));

/** How far an edge goes to where it is seen next: out at once, in slowly, so that no letter is cut. */
const [outward, inward] = [0.6, 0.1];

/** A box that was seen again. */
function grown(span: Open, box: ReadBox, frameNumber: number): Open {
  const sightings = span.sightings + 1;
  const low = (a: number, b: number) => lerp(a, b, b < a ? outward : inward);
  const high = (a: number, b: number) => lerp(a, b, b > a ? outward : inward);
  const [x, y] = [low(span.x, box.x), low(span.y, box.y)];
  return {
    ...span,
    ...{ x, y, sightings },
    width: high(span.x + span.width, box.x + box.width) - x,
    height: high(span.y + span.height, box.y + box.height) - y,
    confidence: lerp(span.confidence, box.confidence, 1 / sightings),
    endFrame: frameNumber + 1,
  };
}

const spanOf = ({ sightings: _, ...span }: Open): ReadSpan => span;
