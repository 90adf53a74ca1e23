import type { PixelBox } from '../schema/geometry.js';
import type { FrameTime } from '../schema/time.js';
import { lerpBox } from './box.js';
import { median } from './series.js';

/** Frames per second of the speaker model's own clock, whatever the source's. */
export const gridRateHz = 25;
/**
 * Length of the median filter over boxes, in grid frames, as in the reference; removes the detector's jitter.
 */
const medianFrames = 13;
const medianReach = (medianFrames - 1) / 2;

/** One crop to cut: the pixels of one source frame, for one frame of the 25 Hz grid. */
export type CropRequest = {
  /** Frame of the grid; its time is origin + gridFrame / 25. */
  readonly gridFrame: number;
  /** Rank of the source frame nearest in time. */
  readonly frameNumber: number;
  /** The lower face: this box is scaled to the model's 112×112 input. May reach outside of the picture. */
  readonly box: PixelBox;
};

/** Plans the crops of one unbroken stretch of a face track. */
export interface CropPlanner {
  /** @param box - The face in this source frame. @returns Crops that are settled now, in order. */
  push(frame: FrameTime, box: PixelBox): CropRequest[];
  /** Ends the stretch and gives the remaining crops. */
  finish(): CropRequest[];
  /** Frames before this rank are no longer needed; their pixels may go. `undefined` before the first frame. */
  readonly oldestFrameNumber: number | undefined;
  /** What another planner goes on from; undefined before the first frame. */
  save(): CropPlannerState | undefined;
}

/** A planner between two frames. */
export type CropPlannerState = {
  readonly previous: { readonly frame: FrameTime; readonly box: PixelBox };
  /** The first grid frame of the stretch. */
  readonly first: number;
  /** The grid frame of the first of `known`. */
  readonly offset: number;
  readonly known: readonly GridBox[];
  /** Grid frames before this frame have been given. */
  readonly emitted: number;
};

/** Smoothing input for one grid frame, and the source frame whose pixels it takes. */
type GridBox = {
  readonly x: number;
  readonly y: number;
  readonly half: number;
  readonly frameNumber: number;
};

/**
 * Maps a face track from the source's frames to the 25 Hz grid of the speaker model: boxes linear in time,
 * pixels from the nearest source frame, boxes smoothed by a median over 13 grid frames. At the ends of a
 * stretch the outermost box is repeated; the reference pads with zeros there and cuts its first and last six
 * crops wrong. A crop is settled once six grid frames after it are known.
 *
 * @param originSec - Time of grid frame 0: that of the first sample of sound.
 * @param saved - State of another planner; the new planner goes on from there.
 */
export function createCropPlanner(originSec: number, saved?: CropPlannerState): CropPlanner {
  let previous = saved?.previous;
  let first = saved?.first ?? 0;
  let offset = saved?.offset ?? 0;
  let known = [...(saved?.known ?? [])];
  let emitted = saved?.emitted ?? 0;

  const append = (box: PixelBox, frameNumber: number) =>
    known.push({
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      half: Math.max(box.width, box.height) / 2,
      frameNumber,
    });
  const timeOf = (gridFrame: number) => originSec + gridFrame / gridRateHz;
  const settle = (end: number): CropRequest[] => {
    const requests: CropRequest[] = [];
    for (; emitted < end; emitted++) {
      const around = Array.from({ length: medianFrames }, (_, i) => {
        const at = emitted + i - medianReach;
        return known[Math.min(offset + known.length - 1, Math.max(first, at)) - offset]!;
      });
      requests.push({
        gridFrame: emitted,
        frameNumber: known[emitted - offset]!.frameNumber,
        box: lowerFace(
          median(around.map(b => b.x)),
          median(around.map(b => b.y)),
          median(around.map(b => b.half)),
        ),
      });
    }
    const drop = Math.max(0, Math.min(emitted - medianReach - offset, known.length));
    known = known.slice(drop);
    offset += drop;
    return requests;
  };

  return {
    get oldestFrameNumber() {
      return known[emitted - offset]?.frameNumber ?? previous?.frame.frameNumber;
    },
    push(frame, box) {
      if (!previous) {
        first = offset = emitted = Math.round((frame.timeSec - originSec) * gridRateHz);
        // A stretch may start up to half a grid frame after its first grid frame.
        if (timeOf(first) <= frame.timeSec) append(box, frame.frameNumber);
      } else {
        const spanSec = frame.timeSec - previous.frame.timeSec;
        for (let g = offset + known.length; timeOf(g) <= frame.timeSec + 1e-9; g++) {
          const ratio = spanSec > 0 ? Math.max(0, (timeOf(g) - previous.frame.timeSec) / spanSec) : 1;
          const nearest = ratio < 0.5 ? previous.frame : frame;
          append(lerpBox(previous.box, box, ratio), nearest.frameNumber);
        }
      }
      previous = { frame, box };
      return settle(offset + known.length - medianReach);
    },
    finish() {
      if (!previous) return [];
      const last = Math.round((previous.frame.timeSec - originSec) * gridRateHz);
      while (offset + known.length <= last) append(previous.box, previous.frame.frameNumber);
      return settle(offset + known.length);
    },
    save: () => previous && { previous, first, offset, known: [...known], emitted },
  };
}

/**
 * The part of the picture that the speaker model sees, from a face's centre and the half of its longer side
 * (Light-ASD and LR-ASD, Columbia_test.py): 1.4 half sides wide, from 0.3 above to 1.1 below the centre. The
 * reference truncates to whole pixels inside a picture padded by 1.8 half sides, and so does this.
 */
export function lowerFace(centreX: number, centreY: number, half: number): PixelBox {
  const pad = Math.trunc(half * 1.8);
  const edge = (value: number) => Math.trunc(value + pad) - pad;
  const left = edge(centreX - half * 1.4);
  const top = edge(centreY - half);
  const width = edge(centreX + half * 1.4) - left;
  const height = edge(centreY + half * 1.8) - top;
  // The reference scales this to 224×224 and keeps the middle 112×112.
  return { x: left + width / 4, y: top + height / 4, width: width / 2, height: height / 2 };
}
