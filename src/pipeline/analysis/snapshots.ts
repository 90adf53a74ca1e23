import type { Media } from '../../media/media.js';

/**
 * Pictures of a source, upright, as it is displayed.
 *
 * @param timesSec - Rising. Each gives the frame that begins then or next; past the end, the last frame.
 */
export async function takeSnapshots(
  media: Media,
  { timesSec, heightPx, signal }: { timesSec: readonly number[]; heightPx: number; signal: AbortSignal },
): Promise<ImageBitmap[]> {
  const { display, durationSec, frameRateHz } = media.facts;
  const width = Math.max(1, Math.round((heightPx * display.width) / display.height));
  const pictures: ImageBitmap[] = [];
  for (const timeSec of timesSec) {
    const startSec = Math.max(0, Math.min(timeSec, durationSec - 1.5 / frameRateHz));
    for await (const { frame } of media.frames({ startSec, signal })) {
      try {
        pictures.push(await draw(frame, { width, height: heightPx, rotationDeg: display.rotationDeg }));
      } finally {
        frame.close();
      }
      break;
    }
  }
  return pictures;
}

function draw(
  frame: VideoFrame,
  { width, height, rotationDeg }: { width: number; height: number; rotationDeg: number },
): Promise<ImageBitmap> {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.translate(width / 2, height / 2);
  context.rotate((rotationDeg * Math.PI) / 180);
  const [across, down] = rotationDeg % 180 ? [height, width] : [width, height];
  context.drawImage(frame, -across / 2, -down / 2, across, down);
  return createImageBitmap(canvas);
}
