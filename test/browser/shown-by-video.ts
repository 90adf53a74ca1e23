import { rankOf } from './media-clips.js';

/** A frame as a `<video>` element shows it: the rank that is drawn in it, and the element's word on its time. */
export type ShownFrame = { readonly rank: number; readonly mediaSec: number };

/**
 * Plays a drawn clip to where it can be looked at: seeks to each time and tells which frame is shown there. Before the
 * first picture of a file that is the first picture.
 *
 * @param readRank - Default: of a clip that `drawClip` drew.
 */
export async function shownByVideo(
  file: Blob,
  timesSec: readonly number[],
  readRank: (picture: OffscreenCanvasRenderingContext2D) => number = readBlocks,
): Promise<ShownFrame[]> {
  const video = document.createElement('video');
  video.muted = true;
  let mediaSec: number | undefined;
  let look = () => {};
  const watch: VideoFrameRequestCallback = (_, { mediaTime }) => {
    mediaSec = mediaTime;
    look();
    video.requestVideoFrameCallback(watch);
  };
  video.requestVideoFrameCallback(watch);
  /** Waits until the element has told of a frame that was not there before, and that frame is on the screen. */
  const nextFrame = (): Promise<number> =>
    new Promise((resolve, reject) => {
      mediaSec = undefined;
      look = () => {
        if (mediaSec === undefined || video.seeking) return;
        if (Math.abs(pictureSec(video) - mediaSec) < 1e-4) resolve(mediaSec);
        // The element tells of a frame once, at times before that frame is on the screen.
        else requestAnimationFrame(look);
      };
      video.onseeked = look;
      video.onerror = () => reject(new Error(video.error?.message));
    });
  try {
    const first = nextFrame();
    video.src = URL.createObjectURL(file);
    await first;
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d')!;
    const shown: ShownFrame[] = [];
    for (const timeSec of timesSec) {
      const next = nextFrame();
      video.currentTime = timeSec;
      const mediaSec = await next;
      canvas.drawImage(video, 0, 0);
      shown.push({ rank: readRank(canvas), mediaSec });
    }
    return shown;
  } finally {
    URL.revokeObjectURL(video.src);
    video.removeAttribute('src');
    video.load();
  }
}

function pictureSec(video: HTMLVideoElement): number {
  const frame = new VideoFrame(video);
  frame.close();
  return frame.timestamp / 1e6;
}

const readBlocks = (picture: OffscreenCanvasRenderingContext2D): number =>
  rankOf((x, y) => picture.getImageData(x, y, 1, 1).data[1]!);
