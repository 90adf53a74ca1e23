import type { Compositor } from '../../compositing/compositor.js';
import { cropAtFrame } from '../../core/plan/crop-at.js';
import { backgroundOf } from '../../core/plan/fill-source.js';
import type { Media } from '../../media/media.js';
import type { Plan } from '../../schema/plan.js';
import type { Stopwatch } from '../stopwatch.js';

/** The end of an encoder that frames go into. */
export type FrameTaker = {
  /** Encodes and closes a frame; `sourceSec` is the time in the source of the frame that it was made of. */
  add(frame: VideoFrame, sourceSec: number): Promise<void>;
};

/** What a render works with. */
export type RenderTools = {
  readonly compositor: Compositor;
  readonly encoder: FrameTaker;
  readonly stopwatch: Stopwatch;
};

export type RenderRange = {
  readonly startSec: number;
  readonly endSec: number;
  /** Constant rate of the output; absent keeps the source's own timing. */
  readonly frameRateHz?: number;
  /** Goes on where an earlier render stopped: the source's frame to begin with, and how many frames exist. */
  readonly from?: { readonly sourceSec: number; readonly frames: number };
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
  const { compositor, encoder, stopwatch } = tools;
  const { startSec, endSec, frameRateHz, from, signal } = range;
  const { display } = media.facts;
  // A constant clock ticks once for each frame, from the clip's start on.
  let tick = from?.frames ?? 0;
  for await (const { frame, frameNumber, timeSec, durationSec } of stopwatch.timeEach(
    'decode',
    media.frames({ startSec: from?.sourceSec ?? startSec, endSec, signal }),
  )) {
    try {
      signal.throwIfAborted();
      const times = frameRateHz
        ? ticksUntil(timeSec - startSec + durationSec, frameRateHz, tick)
        : [{ timeSec: timeSec - startSec, durationSec: Math.min(durationSec, endSec - timeSec) }];
      tick += frameRateHz ? times.length : 0;
      if (!times.length) continue;
      const view = cropAtFrame(plan, frameNumber);
      const drawn = await stopwatch.time('draw', () =>
        compositor.compose(frame, display, {
          panels: view.panels,
          background: backgroundOf(view),
          ...(view.backgroundColour && { backgroundColour: view.backgroundColour }),
        }),
      );
      try {
        for (const at of times) {
          const timed = new VideoFrame(drawn, {
            timestamp: Math.round(at.timeSec * 1e6),
            duration: Math.round(at.durationSec * 1e6),
          });
          await stopwatch.time('encode', () => encoder.add(timed, timeSec));
        }
      } finally {
        drawn.close();
      }
    } finally {
      frame.close();
    }
    range.onTime(timeSec);
  }
}

/** The moments of a constant clock, from tick `next` on, that come before a frame's end: none, where a frame is dropped. */
function ticksUntil(endSec: number, rateHz: number, next: number) {
  const times: { timeSec: number; durationSec: number }[] = [];
  for (let tick = next; tick / rateHz < endSec - 1e-6; tick++)
    times.push({ timeSec: tick / rateHz, durationSec: 1 / rateHz });
  return times;
}
