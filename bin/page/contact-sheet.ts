import { createClipClock } from '../../src/core/clip-clock.js';
import { type Clip, cropAt, type Plan, type Reframer } from '../../src/index.js';

const columns = 12;
const sourceHeightPx = 120;
const clipHeightPx = 214;
const gapPx = 6;

/**
 * Twelve moments of a job side by side: the source with its crop window above, the clip below.
 *
 * @returns A PNG.
 */
export async function drawContactSheet(
  reframer: Reframer,
  { source, clip, plan }: { readonly source: Blob; readonly clip: Clip; readonly plan: Plan },
): Promise<Blob> {
  const { durationSec, toClip, toSource } = createClipClock(clip.kept);
  // On the clock of the frames, so that picture, window and clip show the same one.
  const onFrame = (sec: number) => Math.floor(sec * plan.video_fps + 1e-6) / plan.video_fps;
  const timesSec = Array.from({ length: columns }, (_, i) =>
    onFrame(toSource((durationSec * (i + 0.5)) / columns, 'start')),
  );
  const offsetsSec = timesSec.map(toClip);
  const above = await reframer.snapshots(source, { timesSec, heightPx: sourceHeightPx });
  const below = await reframer.snapshots(clip.file!, { timesSec: offsetsSec, heightPx: clipHeightPx });
  const columnPx = Math.max(above[0]!.width, below[0]!.width) + gapPx;
  const canvas = new OffscreenCanvas(
    columnPx * columns + gapPx,
    sourceHeightPx + clipHeightPx + 3 * gapPx + 14,
  );
  const context = canvas.getContext('2d', { alpha: false })!;
  context.fillStyle = '#15181d';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = '11px sans-serif';
  timesSec.forEach((timeSec, i) => {
    const left = gapPx + i * columnPx;
    const [top, bottom] = [above[i]!, below[i]!];
    context.drawImage(top, left, gapPx + 14);
    context.fillStyle = '#cfd6e0';
    context.fillText(`${timeSec.toFixed(1)} s`, left, 12);
    const scale = top.height / plan.height;
    context.strokeStyle = '#ffcc33';
    context.lineWidth = 2;
    for (const { source: box } of cropAt(plan, timeSec).panels) {
      context.strokeRect(
        left + box.x * scale,
        gapPx + 14 + box.y * scale,
        box.width * scale,
        box.height * scale,
      );
    }
    context.drawImage(bottom, left, 2 * gapPx + 14 + sourceHeightPx);
  });
  return canvas.convertToBlob({ type: 'image/png' });
}
