import type { Plan } from '../src/index.js';
import { attachPreview, type Preview, type PreviewInput } from '../src/preview/index.js';

/** The one transport of the page: the `<video>` that plays, and the preview that follows it. */
export type Player = {
  /** Takes the elements once they are on the page. */
  mount(video: HTMLVideoElement, canvas: HTMLCanvasElement): void;
  /** Lets go of the elements: the next video may be one that this browser cannot play. */
  unmount(): void;
  /** Shows another plan; without one the preview ends. */
  show(plan: Plan | undefined): void;
  toggle(): void;
  play(): void;
  pause(): void;
  seek(timeSec: number): void;
  /** Time of the frame that is shown. */
  readonly timeSec: number;
  readonly video: HTMLVideoElement | undefined;
  readonly preview: Preview | undefined;
};

/**
 * @param onTime - Told of each frame that is shown, and of every seek.
 * @param onPreview - Told when the first reframed picture is on the canvas.
 * @param overlayAt - What lies over the reframed picture of a time of the source.
 */
export function createPlayer(
  onTime: (timeSec: number) => void,
  onPreview: () => void,
  overlayAt: NonNullable<PreviewInput['overlayAt']>,
): Player {
  let video: HTMLVideoElement | undefined;
  let canvas: HTMLCanvasElement | undefined;
  let preview: Preview | undefined;
  let shownSec = 0;
  const tell = (timeSec: number) => {
    shownSec = timeSec;
    onTime(timeSec);
  };

  return {
    mount(newVideo, newCanvas) {
      if (video === newVideo && canvas === newCanvas) return;
      preview?.close();
      preview = undefined;
      [video, canvas] = [newVideo, newCanvas];
      shownSec = 0;
      video.onseeking = () => tell(newVideo.currentTime);
    },
    unmount() {
      preview?.close();
      video?.pause();
      video = canvas = preview = undefined;
      shownSec = 0;
    },
    show(plan) {
      if (!plan?.segments.length || !video || !canvas) {
        preview?.close();
        preview = undefined;
        return;
      }
      if (preview) {
        preview.update(plan);
        return;
      }
      let first = true;
      preview = attachPreview({
        video,
        canvas,
        plan,
        overlayAt,
        onFrame({ timeSec }) {
          tell(timeSec);
          if (first) onPreview();
          first = false;
        },
      });
    },
    toggle() {
      if (video?.paused) this.play();
      else this.pause();
    },
    play() {
      // Browsers refuse to play unasked; then the person presses the button.
      video?.play().catch(() => {});
    },
    pause() {
      video?.pause();
    },
    seek(timeSec) {
      if (video) video.currentTime = Math.max(0, Math.min(timeSec, video.duration || timeSec));
    },
    get timeSec() {
      return shownSec;
    },
    get video() {
      return video;
    },
    get preview() {
      return preview;
    },
  };
}
