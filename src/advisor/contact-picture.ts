import type { AdvisorQuestion } from '../schema/advice.js';

/** Height in pixels of the frame that a contact picture is drawn on. */
export const contactHeightPx = 360;
const colours = ['#ffcc33', '#33ddff', '#ff66cc', '#77ee55', '#ff8844', '#bb99ff', '#ffffff', '#ff4444'];
const jpegQuality = 0.8;

/**
 * Draws the numbered boxes of a question on a frame of the source.
 *
 * @param frame - The whole displayed picture at the question's `timeSec`, in any size.
 * @returns A JPEG as large as the frame.
 */
export function contactPicture(frame: ImageBitmap, { faces }: Pick<AdvisorQuestion, 'faces'>): Promise<Blob> {
  const { width, height } = frame;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d')!;
  context.drawImage(frame, 0, 0);
  const fontPx = Math.max(12, Math.round(height / 18));
  context.font = `bold ${fontPx}px sans-serif`;
  context.textBaseline = 'top';
  context.lineWidth = Math.max(2, height / 180);
  for (const { number, box } of faces) {
    const [x, y] = [box.x * width, box.y * height];
    context.strokeStyle = colours[(number - 1) % colours.length]!;
    context.strokeRect(x, y, box.width * width, box.height * height);
    // Above the box, so that the face stays free; inside of the picture where the box is at its top.
    const top = Math.max(0, y - fontPx);
    context.fillStyle = context.strokeStyle;
    context.fillRect(x, top, fontPx, fontPx);
    context.fillStyle = '#000000';
    context.fillText(String(number), x + fontPx * 0.2, top);
  }
  return canvas.convertToBlob({ type: 'image/jpeg', quality: jpegQuality });
}
