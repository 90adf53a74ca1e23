import type { Detection } from '../../core/detection.js';
import type { FaceDetector } from '../../inference/face-detector.js';
import type { Display, MediaFrame } from '../../media/media.js';
import type { Picture, Sampler } from '../../sampling/sampler.js';
import type { FrameTime } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';

/** What looking at the frames of a source feeds. */
export type FrameWatcher = {
  readonly sampler: Sampler;
  readonly display: Display;
  readonly stopwatch: Stopwatch;
  /** Takes each frame's thumbnail; absent when the cuts are known already. */
  readonly onThumbnail?: (at: FrameTime, thumbnail: Float32Array) => Promise<void>;
  /** Whether a shot begins with this frame; undefined while later frames have to be seen first. */
  readonly isCut: (frameNumber: number) => boolean | undefined;
  /** Finds faces; absent when they are not wanted or known already. */
  readonly detector?: FaceDetector;
  /** Pixels along the longer side of the detector's input. */
  readonly faceLongSide?: number;
  /** What another pass saved: this one goes on from there. */
  readonly saved?: WatchState;
  /** Takes each frame that the pass before this one had taken already. The picture is closed afterwards. */
  readonly onOldFrame?: (at: FrameTime, picture: Picture) => Promise<void>;
  /**
   * Takes each frame in order, with the faces where it was looked for any. The picture is closed afterwards;
   * `nextSec` is the time of the frame after, absent for the last.
   */
  readonly onFrame: (
    at: FrameTime,
    seen: {
      readonly cut: boolean;
      readonly detections?: readonly Detection[];
      readonly picture: Picture;
      readonly nextSec?: number;
      /** What another pass goes on from, behind this frame. */
      readonly save: () => WatchState;
    },
  ) => Promise<void>;
};

/** A pass behind one frame. Frames after it may have been read already, and their cuts be known. */
export type WatchState = {
  readonly lastFrame: number;
  /** When faces were looked for last, seconds; −Infinity before. */
  readonly lookedSec: number;
  /** Thumbnails up to this frame were handed on. */
  readonly seenFrame: number;
  /** Cuts are known up to this frame; those behind `lastFrame` are these. */
  readonly knownFrame: number;
  readonly cuts: readonly number[];
};

/**
 * Faces are looked for this often, and on the first frame of each shot: between two looks a track is
 * interpolated, which a face that turns or nods does not outrun.
 */
export const detectionStepSec = 0.2;

/** Looks on their way at a time: while one runs in its worker, the next ones' pictures are read. */
const looksInFlight = 2;

type Waiting = { readonly at: FrameTime; readonly picture: Picture };
/** A frame whose shot is known, and the look at it that may still be under way. */
type Ready = Waiting & {
  readonly cut: boolean;
  readonly nextSec?: number;
  readonly detections?: Promise<readonly Detection[]>;
};

/** Reads each frame once; decoded frames are closed before the next one is asked for. */
export async function watchFrames(frames: AsyncIterable<MediaFrame>, watcher: FrameWatcher): Promise<void> {
  const { sampler, display, stopwatch, detector, saved } = watcher;
  // A frame waits here until it is known whether a shot begins with it (two frames at most), then until it has been
  // looked at and those before it are done.
  const waiting: Waiting[] = [];
  const ready: Ready[] = [];
  let lookedSec = saved?.lookedSec ?? Number.NEGATIVE_INFINITY;
  let handedLookSec = lookedSec;
  const isCut = (frameNumber: number) =>
    saved && frameNumber <= saved.knownFrame ? saved.cuts.includes(frameNumber) : watcher.isCut(frameNumber);

  const look = async (picture: Picture) => {
    const spec = detector!.inputSpec(display, watcher.faceLongSide);
    const sample = await stopwatch.time('sample', () => picture.letterbox(spec));
    try {
      return await stopwatch.time('faces', () => detector!.detect(sample, display));
    } finally {
      if (sample.kind === 'gpu') sample.release();
    }
  };
  const enqueue = ({ at, picture }: Waiting, nextSec?: number) => {
    const cut = isCut(at.frameNumber) === true;
    const due = cut || nextSec === undefined || at.timeSec - lookedSec >= detectionStepSec - 1e-3;
    const detections = detector && due ? look(picture) : undefined;
    // Whoever takes the frame hears of a failure; until then it must not count as unhandled.
    detections?.catch(() => {});
    if (detections) lookedSec = at.timeSec;
    ready.push({
      at,
      picture,
      cut,
      ...(nextSec !== undefined && { nextSec }),
      ...(detections && { detections }),
    });
  };
  const handOut = async () => {
    const { at, picture, detections, ...seen } = ready[0]!;
    const found = await detections;
    if (found) handedLookSec = at.timeSec;
    await watcher.onFrame(at, { ...seen, picture, save, ...(found && { detections: found }) });
    ready.shift();
    picture.close();
  };
  const save = (): WatchState => ({
    lastFrame: ready[0]!.at.frameNumber,
    lookedSec: handedLookSec,
    seenFrame: (waiting.at(-1) ?? ready.at(-1))!.at.frameNumber,
    knownFrame: ready.at(-1)!.at.frameNumber,
    cuts: ready.slice(1).flatMap(({ at, cut }) => (cut ? [at.frameNumber] : [])),
  });
  const looks = () => ready.reduce((count, { detections }) => count + (detections ? 1 : 0), 0);

  try {
    for await (const { frame, frameNumber, timeSec } of frames) {
      const at = { frameNumber, timeSec };
      const picture = await stopwatch
        .time('sample', () => sampler.open(frame, display))
        .finally(() => frame.close());
      if (saved && frameNumber <= saved.lastFrame) {
        try {
          await watcher.onOldFrame?.(at, picture);
        } finally {
          picture.close();
        }
        continue;
      }
      waiting.push({ at, picture });
      if (watcher.onThumbnail && !(saved && frameNumber <= saved.seenFrame)) {
        const thumbnail = await stopwatch.time('sample', () => picture.thumbnail());
        await watcher.onThumbnail(at, thumbnail);
      }
      while (waiting.length > 1 && isCut(waiting[0]!.at.frameNumber) !== undefined) {
        enqueue(waiting.shift()!, waiting[0]!.at.timeSec);
      }
      while (ready.length && (!ready[0]!.detections || looks() > looksInFlight)) await handOut();
    }
    while (waiting.length) enqueue(waiting.shift()!, waiting[0]?.at.timeSec);
    while (ready.length) await handOut();
  } finally {
    await Promise.allSettled(ready.map(({ detections }) => detections));
    for (const { picture } of [...waiting, ...ready]) picture.close();
  }
}
