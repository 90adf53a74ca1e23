import { cropAt } from '../core/plan/crop-at.js';
import type { Plan } from '../schema/plan.js';
import { createViewPainter, type PreviewOverlay } from './draw-view.js';

/** What a preview works on. */
export type PreviewInput = {
  /** Element that plays the source; the preview does not touch its transport, sound or size. */
  readonly video: HTMLVideoElement;
  /**
   * Where the output is drawn. Its size on the page is CSS's business (give it a width and an `aspect-ratio`, or
   * `object-fit: contain`); the number of its pixels follows from that and from the screen.
   */
  readonly canvas: HTMLCanvasElement;
  /** What to show of the source; a later plan is shown with `update`. */
  readonly plan: Plan;
  /**
   * What lies over the frame of a time of the source, seconds, such as `at` of a caption painter; asked for each drawn
   * frame, and again after `update`.
   */
  readonly overlayAt?: (timeSec: number) => PreviewOverlay | undefined;
  /** Told after each drawn frame. */
  readonly onFrame?: (frame: PreviewFrame) => void;
};

/** A frame that was drawn. */
export type PreviewFrame = {
  /** Presentation time of the source's frame in seconds. */
  readonly timeSec: number;
  /** Time that drawing took on this thread, milliseconds. */
  readonly drawMs: number;
};

/** What a preview has done so far. */
export type PreviewStats = {
  /** Frames of the playing source that were drawn. */
  readonly drawn: number;
  /** Frames that the element showed and the preview did not: this thread was busy. */
  readonly dropped: number;
  /** `frames`: drawn with each frame of the source; `screen`: with each refresh of the screen, where browsers tell no more. */
  readonly clock: 'frames' | 'screen';
};

/** A running preview. */
export interface Preview {
  /** Shows another plan from the next frame on; at once where the video stands still. */
  update(plan: Plan): void;
  /** Stops drawing. The last picture stays. */
  close(): void;
  /** What was drawn and dropped so far. */
  readonly stats: PreviewStats;
}

/**
 * Shows what a plan makes of a playing video, without encoding anything: each frame that the element presents is
 * drawn on the canvas as the plan crops it. Pausing, seeking and playback rate need nothing, because the frames
 * themselves tell their time.
 *
 * @throws RangeError where the plan has no segments.
 */
export function attachPreview({ video, canvas, plan: first, overlayAt, onFrame }: PreviewInput): Preview {
  let plan = checked(first);
  const painter = createViewPainter(canvas);
  const watch = watchFrames(video);
  let timeSec: number | undefined;
  let redrawing = 0;
  let closed = false;

  const draw = () => {
    if (timeSec === undefined || !video.videoWidth) return;
    const startMs = performance.now();
    timeSec = shownSec(video) ?? timeSec;
    fitPixels(canvas, plan);
    const output = { width: plan.output_width, height: plan.output_height };
    painter.paint(
      { image: video, size: { width: video.videoWidth, height: video.videoHeight } },
      cropAt(plan, timeSec),
      { source: plan, output },
    );
    const overlay = overlayAt?.(timeSec);
    if (overlay) painter.paintOver(overlay, output);
    onFrame?.({ timeSec, drawMs: performance.now() - startMs });
  };
  const redraw = () => {
    if (closed) return;
    redrawing ||= requestAnimationFrame(() => {
      redrawing = 0;
      draw();
    });
  };
  const resized = new ResizeObserver(redraw);
  resized.observe(canvas);
  // A busy page may stop at a frame that it was not told of.
  video.addEventListener('pause', redraw);

  watch.start(nowSec => {
    timeSec = nowSec;
    draw();
  });
  return {
    update(next) {
      plan = checked(next);
      redraw();
    },
    close() {
      closed = true;
      watch.stop();
      resized.disconnect();
      video.removeEventListener('pause', redraw);
      cancelAnimationFrame(redrawing);
    },
    get stats() {
      return watch.stats;
    },
  };
}

/**
 * Time of the frame that the element shows now. A callback tells of the frame before where this thread was busy in
 * between, and across a cut that is another scene's crop. Undefined where browsers do not say.
 */
function shownSec(video: HTMLVideoElement): number | undefined {
  try {
    const frame = new VideoFrame(video);
    const { timestamp } = frame;
    frame.close();
    return timestamp / 1e6;
  } catch {
    // No frame yet, a video of another origin, or no such class.
    return undefined;
  }
}

function checked(plan: Plan): Plan {
  if (!plan.segments.length) throw new RangeError('the plan has no segments');
  return plan;
}

/**
 * As many pixels as the screen shows of the canvas, in the plan's aspect, and never more than the output has:
 * beyond that there is nothing to see. Setting a size clears a canvas, so the size is set only when it
 * changes.
 */
function fitPixels(canvas: HTMLCanvasElement, { output_width, output_height }: Plan): void {
  const ratio = window.devicePixelRatio || 1;
  const scale = Math.min(
    1,
    (canvas.clientWidth * ratio) / output_width,
    (canvas.clientHeight * ratio) / output_height,
  );
  // A canvas that is not laid out yet has no size: a quarter of the output until it has.
  const side = (pixels: number) => Math.max(2, Math.round(pixels * (scale || 0.25)));
  const [width, height] = [side(output_width), side(output_height)];
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/** Tells the time of each frame that an element presents. */
function watchFrames(video: HTMLVideoElement) {
  const byFrame = 'requestVideoFrameCallback' in video;
  let drawn = 0;
  let dropped = 0;
  let presented: number | undefined;
  let handle = 0;
  let stopped = false;
  let tell: (timeSec: number) => void = () => {};

  const onVideoFrame: VideoFrameRequestCallback = (_, { mediaTime, presentedFrames }) => {
    if (stopped) return;
    handle = video.requestVideoFrameCallback(onVideoFrame);
    // Another source on the same element counts from the start again.
    const missed = presented === undefined ? 0 : presentedFrames - presented - 1;
    dropped += Math.max(0, missed);
    presented = presentedFrames;
    drawn++;
    tell(mediaTime);
  };
  let lastSec: number | undefined;
  const onScreen = () => {
    handle = requestAnimationFrame(onScreen);
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || video.currentTime === lastSec) return;
    lastSec = video.currentTime;
    drawn++;
    tell(lastSec);
  };
  return {
    start(listener: (timeSec: number) => void) {
      tell = listener;
      handle = byFrame ? video.requestVideoFrameCallback(onVideoFrame) : requestAnimationFrame(onScreen);
      // A video that stands still presents nothing until it is played or sought.
      if (video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA) tell(video.currentTime);
    },
    stop() {
      stopped = true;
      if (byFrame) video.cancelVideoFrameCallback(handle);
      else cancelAnimationFrame(handle);
    },
    get stats(): PreviewStats {
      return { drawn, dropped, clock: byFrame ? 'frames' : 'screen' };
    },
  };
}
