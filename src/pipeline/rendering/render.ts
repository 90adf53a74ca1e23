import type { Compositor, Overlay } from '../../compositing/compositor.js';
import { type ClipClock, createClipClock } from '../../core/clip-clock.js';
import type { KeptStretch } from '../../core/kept-stretches.js';
import { cropAtFrame } from '../../core/plan/crop-at.js';
import { backgroundOf } from '../../core/plan/fill-source.js';
import { countBelow } from '../../core/series.js';
import type { Media, MediaFrame } from '../../media/media.js';
import type { Gap } from '../../media/output/chunk-record.js';
import type { Plan } from '../../schema/plan.js';
import type { FrameTime, TimeRange } from '../../schema/time.js';
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
  /** What of the source the clip shows, one after another. */
  readonly stretches: readonly KeptStretch[];
  /** Constant rate of the output; absent keeps the source's own timing. */
  readonly frameRateHz?: number;
  /** The stretch of the clip to be drawn; default all of it. */
  readonly gap?: Gap;
  readonly signal: AbortSignal;
  /** Told of the clip's time after each frame. */
  readonly onTime: (clipSec: number) => void;
};

/**
 * Between stretches that are no further apart, seconds, frames are decoded and thrown away: to begin elsewhere, a decoder
 * goes back to a key frame, a few seconds in most files.
 */
const readThroughSec = 4;
/** Shorter than any frame, longer than what sums of times are rounded by, seconds. */
const graceSec = 1e-4;

/** Draws what the plan says for each frame and hands it to the encoder; memory does not grow with the length. */
export async function render(
  media: Media,
  plan: Plan,
  tools: RenderTools,
  range: RenderRange,
): Promise<void> {
  const { compositor, encoder, stopwatch, overlayAt } = tools;
  const { frameRateHz, gap, signal } = range;
  let room = gap?.until ? gap.until.frames - gap.frames : Number.POSITIVE_INFINITY;
  const { display } = media.facts;
  // A constant clock ticks once for each frame, from the clip's start on.
  let tick = gap?.frames ?? 0;
  const { stretches } = createClipClock(range.stretches);
  const lengthOf = ({ startSec, endSec }: TimeRange) => endSec - startSec;
  const begun = countBelow(stretches, (gap?.startSec ?? 0) + graceSec, s => s.atSec + lengthOf(s));
  const open = stretches.slice(begun);
  for await (const { frame, frameNumber, timeSec, durationSec } of stopwatch.timeEach(
    'decode',
    framesOf(media, range.stretches.slice(begun), { fromSec: gap?.sourceSec ?? 0, signal }),
  )) {
    try {
      signal.throwIfAborted();
      const shown = shownWithin(open, timeSec, timeSec + durationSec);
      const times = frameRateHz
        ? shown.flatMap(({ untilSec }) => {
            const ticks = ticksUntil(untilSec, frameRateHz, tick);
            tick += ticks.length;
            return ticks;
          })
        : shown.map(at => ({ timeSec: at.fromSec, durationSec: at.untilSec - at.fromSec }));
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
        range.onTime(times.at(-1)!.timeSec);
      } finally {
        drawn.close();
      }
    } finally {
      frame.close();
    }
    if (room <= 0) break;
  }
}

/** The frames that are seen in the stretches, and some between them. */
async function* framesOf(
  media: Media,
  stretches: readonly KeptStretch[],
  { fromSec, signal }: { readonly fromSec: number; readonly signal: AbortSignal },
): AsyncGenerator<MediaFrame, void, void> {
  for (let i = 0; i < stretches.length; ) {
    const { startSec, firstFrame } = stretches[i]!;
    // The frame that stands when a stretch begins may have come before.
    const readSec = Math.max(fromSec, Math.min(startSec, media.frameTimeSec(firstFrame)));
    let { endSec } = stretches[i++]!;
    while (i < stretches.length && stretches[i]!.startSec - endSec <= readThroughSec)
      endSec = stretches[i++]!.endSec;
    yield* media.frames({ startSec: readSec, endSec, signal });
  }
}

/** When, on the clip's clock, a frame is seen: more than once, where something is left out while it stands. */
function shownWithin(
  stretches: ClipClock['stretches'],
  frameSec: number,
  frameEndSec: number,
): { readonly fromSec: number; readonly untilSec: number }[] {
  const shown: { fromSec: number; untilSec: number }[] = [];
  for (
    let i = countBelow(stretches, frameSec + graceSec, ({ endSec }) => endSec);
    i < stretches.length;
    i++
  ) {
    const { startSec, endSec, atSec } = stretches[i]!;
    if (startSec > frameSec + graceSec && startSec > frameEndSec - graceSec) break;
    const fromSec = atSec + Math.max(0, frameSec - startSec);
    const untilSec = atSec + Math.min(endSec, frameEndSec) - startSec;
    // Of a frame that ended before the stretch nothing is seen in the stretch.
    if (frameSec >= startSec - graceSec || untilSec - atSec > graceSec) shown.push({ fromSec, untilSec });
  }
  return shown;
}

/** The moments of a constant clock, from tick `next` on, that come before a frame's end: none, where a frame is dropped. */
function ticksUntil(endSec: number, rateHz: number, next: number) {
  const times: { timeSec: number; durationSec: number }[] = [];
  for (let tick = next; tick / rateHz < endSec - 1e-6; tick++)
    times.push({ timeSec: tick / rateHz, durationSec: 1 / rateHz });
  return times;
}
