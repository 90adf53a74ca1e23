import type { Page } from 'playwright';

/** How much the preview and the exported clip differ at one moment. */
export type FrameDifference = {
  readonly timeSec: number;
  /** Mean absolute difference of green, 0–255, with both as they are. */
  readonly mean: number;
  /** By how many pixels of 270×480 the clip has to be moved to be most alike; 0 and 0 where the crop is the same. */
  readonly dx: number;
  readonly dy: number;
};

export type Comparison = { readonly frames: readonly FrameDifference[]; readonly sheet: Buffer };

/** Seeks the source and the last exported clip to the same moments and compares what is seen. */
export async function compareWithClip(page: Page, frameRateHz: number, count = 20): Promise<Comparison> {
  const compare = async ([moments, rateHz]: readonly [number, number]) => {
    const source = document.querySelector<HTMLVideoElement>('#source')!;
    const preview = document.querySelector<HTMLCanvasElement>('#preview')!;
    const clip = document.querySelector<HTMLVideoElement>('.clips video')!;
    source.pause();
    clip.pause();
    clip.preload = 'auto';
    const [width, height, margin] = [270, 480, 10];
    /** A seek has arrived when the frame of that time is presented, not when the element says that it sought. */
    const show = (video: HTMLVideoElement, timeSec: number) =>
      new Promise<void>(resolve => {
        video.requestVideoFrameCallback(() => resolve());
        // The frame that is already there is not presented again.
        setTimeout(resolve, 3000);
        video.currentTime = timeSec;
      });
    const painted = () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const pixels = (image: CanvasImageSource) => {
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.imageSmoothingQuality = 'high';
      context.drawImage(image, 0, 0, width, height);
      return context.getImageData(0, 0, width, height).data;
    };
    const sheet = document.createElement('canvas');
    const [cell, row] = [108, 192];
    sheet.width = cell * 10;
    sheet.height = 4 * row + 12;
    const drawing = sheet.getContext('2d')!;
    const found: { timeSec: number; mean: number; dx: number; dy: number }[] = [];
    for (let i = 0; i < moments; i++) {
      // The middle of a frame, so that rounding does not show its neighbour.
      const timeSec = (Math.floor((rateHz * source.duration * (i + 0.5)) / moments) + 0.5) / rateHz;
      await show(source, timeSec);
      await show(clip, timeSec);
      await painted();
      const [a, b] = [pixels(preview), pixels(clip)];
      const difference = (dx: number, dy: number) => {
        let sum = 0;
        let n = 0;
        for (let y = margin; y < height - margin; y += 2)
          for (let x = margin; x < width - margin; x += 2, n++)
            sum += Math.abs(a[4 * (y * width + x) + 1]! - b[4 * ((y + dy) * width + x + dx) + 1]!);
        return sum / n;
      };
      let best = { mean: Number.POSITIVE_INFINITY, dx: 0, dy: 0 };
      for (let dx = -6; dx <= 6; dx++)
        for (let dy = -3; dy <= 3; dy++) {
          const mean = difference(dx, dy);
          if (mean < best.mean) best = { mean, dx, dy };
        }
      found.push({ timeSec, mean: difference(0, 0), dx: best.dx, dy: best.dy });
      const [x, y] = [(i % 10) * cell, i < 10 ? 0 : 2 * row + 12];
      drawing.drawImage(preview, x, y, cell - 2, row - 2);
      drawing.drawImage(clip, x, y + row, cell - 2, row - 2);
    }
    return { frames: found, sheet: sheet.toDataURL('image/png') };
  };
  const { frames, sheet } = await page.evaluate(compare, [count, frameRateHz] as const);
  return { frames, sheet: Buffer.from(sheet.split(',')[1]!, 'base64') };
}
