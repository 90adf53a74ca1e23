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
  video.src = URL.createObjectURL(file);
  try {
    await new Promise((resolve, reject) => {
      video.onloadeddata = resolve;
      video.onerror = () => reject(new Error(video.error?.message));
    });
    let mediaSec = Number.NaN;
    let look = () => {};
    const watch: VideoFrameRequestCallback = (_, { mediaTime }) => {
      mediaSec = mediaTime;
      look();
      video.requestVideoFrameCallback(watch);
    };
    video.requestVideoFrameCallback(watch);
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d')!;
    const shown: ShownFrame[] = [];
    for (const timeSec of timesSec) {
      await new Promise<void>(resolve => {
        // The element may be told of a frame before that is on screen, or after: both have to have happened.
        look = () => {
          if (video.seeking || !(Math.abs(pictureSec(video) - mediaSec) < 1e-4)) return;
          canvas.drawImage(video, 0, 0);
          resolve();
        };
        video.onseeked = look;
        video.currentTime = timeSec;
      });
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
