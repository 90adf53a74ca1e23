import type { Compositor, Overlay } from '../../compositing/compositor.js';
import { cropAtFrame } from '../../core/plan/crop-at.js';
import { backgroundOf } from '../../core/plan/fill-source.js';
import type { Media } from '../../media/media.js';
import type { Gap } from '../../media/output/chunk-record.js';
import type { Plan } from '../../schema/plan.js';
import type { FrameTime } from '../../schema/time.js';
import type { Stopwatch } from '../stopwatch.js';

/** The end of an encoder that frames go into. */
export type FrameTaker = {
  /** Encodes and closes a frame; `source` is the frame of the source that it was made of. */
  add(frame: VideoFrame, source: FrameTime): Promise<void>;
};

/** What a render works with. */
export type RenderTools = {
  readonly compositor: Compositor;
  readonly encoder: FrameTaker;
  readonly stopwatch: Stopwatch;
  /** What lies over the frame of a time of the source, seconds. */
  readonly overlayAt?: (timeSec: number) => Overlay | undefined;
};

export type RenderRange = {
  readonly startSec: number;
  readonly endSec: number;
  /** Constant rate of the output; absent keeps the source's own timing. */
  readonly frameRateHz?: number;
  /** The stretch of the clip to be drawn; default all of it. */
  readonly gap?: Gap;
  readonly signal: AbortSignal;
  readonly onTime: (timeSec: number) => void;
};

/** Draws what the plan says for each frame and hands it to the encoder; memory does not grow with the length. */
export async function render(
  media: Media,
  plan: Plan,
  tools: RenderTools,
  range: RenderRange,
): Promise<void> {
  const { compositor, encoder, stopwatch, overlayAt } = tools;
  const { startSec, endSec, frameRateHz, gap, signal } = range;
  let room = gap?.until ? gap.until.frames - gap.frames : Number.POSITIVE_INFINITY;
  const { display } = media.facts;
  // A constant clock ticks once for each frame, from the clip's start on.
  let tick = gap?.frames ?? 0;
  for await (const { frame, frameNumber, timeSec, durationSec } of stopwatch.timeEach(
    'decode',
    media.frames({ startSec: gap?.sourceSec ?? startSec, endSec, signal }),
  )) {
    try {
      signal.throwIfAborted();
      const times = frameRateHz
        ? ticksUntil(timeSec - startSec + durationSec, frameRateHz, tick)
        : [{ timeSec: timeSec - startSec, durationSec: Math.min(durationSec, endSec - timeSec) }];
      tick += frameRateHz ? times.length : 0;
      if (!times.length) continue;
      const view = cropAtFrame(plan, frameNumber);
      const drawn = await stopwatch.time('draw', () => {
        const overlay = overlayAt?.(timeSec);
        return compositor.compose(frame, display, {
          panels: view.panels,
          background: backgroundOf(view),
          ...(view.backgroundColour && { backgroundColour: view.backgroundColour }),
          ...(overlay && { overlay }),
        });
      });
      try {
        for (const at of times.slice(0, room)) {
          const timed = new VideoFrame(drawn, {
            timestamp: Math.round(at.timeSec * 1e6),
            duration: Math.round(at.durationSec * 1e6),
          });
          await stopwatch.time('encode', () => encoder.add(timed, { frameNumber, timeSec }));
        }
        room -= times.length;
      } finally {
        drawn.close();
      }
    } finally {
      frame.close();
    }
    range.onTime(timeSec);
    if (room <= 0) break;
  }
}

/** The moments of a constant clock, from tick `next` on, that come before a frame's end: none, where a frame is dropped. */
function ticksUntil(endSec: number, rateHz: number, next: number) {
  const times: { timeSec: number; durationSec: number }[] = [];
  for (let tick = next; tick / rateHz < endSec - 1e-6; tick++)
    times.push({ timeSec: tick / rateHz, durationSec: 1 / rateHz });
  return times;
}
