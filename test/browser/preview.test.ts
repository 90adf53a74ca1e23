import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  attachPreview,
  type Preview,
  type PreviewFrame,
  type PreviewInput,
} from '../../src/preview/index.js';
import type { Panel, Plan, Segment } from '../../src/schema/plan.js';
import { createPlanes } from '../fixtures/draw.js';
import { encodeClip } from '../fixtures/encode-clip.js';

const [width, height, frames, rateHz] = [320, 180, 25, 25];
/** Brightness tells how far right a pixel is: 40 at the left edge, 200 at the right. */
const lumaAt = (x: number) => 40 + (160 * x) / width;

let url: string;
beforeAll(async () => {
  const planes = createPlanes({ width, height });
  for (let i = 0; i < width * height; i++) planes.data[i] = lumaAt(i % width);
  planes.data.fill(128, width * height);
  const timesSec = Array.from({ length: frames }, (_, i) => i / rateHz);
  const blob = await encodeClip({ frames: timesSec.map(() => planes), timesSec }, { audioCodec: 'none' });
  url = URL.createObjectURL(blob);
});

const panel = (
  keys: readonly (readonly [frame: number, x: number, width: number])[],
  output: Panel['output'] = { x: 0, y: 0, width: 90, height: 160 },
): Panel => ({
  output,
  keyframes: keys.map(([frame_number, x, wide]) => ({
    frame_number,
    timestamp: frame_number / rateHz,
    x,
    y: 0,
    width: wide,
    height,
  })),
});

const planOf = (...segments: Partial<Segment>[]): Plan => ({
  model: 'reframe',
  width,
  height,
  output_width: 90,
  output_height: 160,
  video_fps: rateHz,
  total_frames: frames,
  first_frame: 0,
  frame_count: frames,
  segments: segments.map(segment => ({
    scene_id: 0,
    start_frame: segment.panels![0]!.keyframes[0]!.frame_number,
    end_frame: frames,
    layout: 'single',
    reason: 'speaker',
    confidence: 1,
    alternatives: [],
    panels: [],
    ...segment,
  })),
});

let preview: Preview | undefined;
afterEach(() => {
  preview?.close();
  document.body.replaceChildren();
});

/** A page with a video at its first frame and a canvas of 45×80 CSS pixels. */
async function open(plan: Plan, overlayAt?: PreviewInput['overlayAt']) {
  const video = document.createElement('video');
  video.muted = true;
  video.src = url;
  const canvas = document.createElement('canvas');
  canvas.style.cssText = 'width: 45px; height: 80px';
  document.body.append(video, canvas);
  await new Promise(resolve => video.addEventListener('loadeddata', resolve, { once: true }));
  const drawn: PreviewFrame[] = [];
  let wake = () => {};
  preview = attachPreview({
    video,
    canvas,
    plan,
    ...(overlayAt && { overlayAt }),
    onFrame(frame) {
      drawn.push(frame);
      wake();
    },
  });
  const context = canvas.getContext('2d')!;
  return {
    video,
    canvas,
    drawn,
    /** Waits until the canvas shows what is asked for. */
    async until(test: () => boolean) {
      while (!test()) await new Promise<void>(resolve => (wake = resolve));
    },
    /** Brightness at a place in 0–1 of the canvas, as the source's luma. */
    lumaAt(x: number, y: number) {
      const at = [Math.floor(x * canvas.width), Math.floor(y * canvas.height)] as const;
      const [red] = context.getImageData(...at, 1, 1).data;
      return 16 + (red! * 219) / 255;
    },
  };
}

const seek = (video: HTMLVideoElement, timeSec: number) =>
  new Promise<void>(resolve => {
    video.addEventListener('seeked', () => resolve(), { once: true });
    video.currentTime = timeSec;
  });

describe('a preview', () => {
  test('draws the window of the frame that the video shows, and moves with it', async () => {
    const page = await open(
      planOf({
        panels: [
          panel([
            [0, 0, 100],
            [10, 100, 100],
          ]),
        ],
      }),
    );
    await seek(page.video, 0.2 + 0.01);
    await page.until(() => page.drawn.at(-1)!.timeSec > 0.19);
    expect(page.drawn.at(-1)!.timeSec).toBeCloseTo(0.2, 3);
    expect(page.lumaAt(0.5, 0.5)).toBeCloseTo(lumaAt(100), -1);
    expect(page.lumaAt(0.02, 0.5)).toBeCloseTo(lumaAt(52), -1);
  });

  test('draws what lies over the frame of a time, in its place and for its time', async () => {
    const image = new OffscreenCanvas(60, 20);
    const context = image.getContext('2d')!;
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, 60, 20);
    const box = { x: 15, y: 120, width: 60, height: 20 };
    const page = await open(planOf({ panels: [panel([[0, 0, 100]])] }), timeSec =>
      timeSec < 0.5 ? { image, box } : undefined,
    );
    // An element may show black before its first picture.
    const hasPicture = () => page.lumaAt(0.5, 115 / 160) > 50;
    await page.until(hasPicture);
    await seek(page.video, 0.2 + 0.01);
    await page.until(() => hasPicture() && page.lumaAt(0.5, 130 / 160) > 225);
    expect(page.lumaAt(0.5, 115 / 160)).toBeCloseTo(lumaAt(50), -1);
    await seek(page.video, 0.6 + 0.01);
    await page.until(() => hasPicture() && page.drawn.at(-1)!.timeSec > 0.59);
    expect(page.lumaAt(0.5, 130 / 160)).toBeCloseTo(lumaAt(50), -1);
  });

  describe('fills what its panels leave free', () => {
    const half = { x: 0, y: 40, width: 90, height: 80 };
    /** The right half of the picture, 120 to 200 bright, in the middle of the output. */
    const shown = (fill: Partial<Segment>, corner_radius = 0) =>
      planOf({ layout: 'stack', panels: [{ ...panel([[0, 160, 160]], half), corner_radius }], ...fill });
    const linear = (luma: number) => ((luma - 16) * 255) / 219;

    test('with a blur of what they show, at half its brightness', async () => {
      const page = await open(shown({ background: 'blur' }));
      await page.until(() => page.lumaAt(0.5, 0.5) > 90);
      // The covering middle of the half: 60 pixels around the source's 240th.
      const expected = 16 + (linear(lumaAt(240)) / 2) * (219 / 255);
      expect(Math.abs(page.lumaAt(0.5, 0.1) - expected)).toBeLessThan(6);
      expect(page.lumaAt(0.5, 0.5)).toBeCloseTo(lumaAt(240), -1);
    });

    test('with a colour, behind rounded corners too', async () => {
      const page = await open(shown({ background: 'colour', background_colour: '#300000' }, 40));
      await page.until(() => page.lumaAt(0.5, 0.5) > 90);
      for (const y of [0.05, 0.95, 0.27])
        expect(Math.abs(page.lumaAt(0.02, y) - (16 + (0x30 * 219) / 255))).toBeLessThan(2);
      expect(page.lumaAt(0.02, 0.5)).toBeGreaterThan(110);
    });

    test('with black where nothing is said, and a blur around `fit`', async () => {
      const page = await open(shown({}));
      await page.until(() => page.lumaAt(0.5, 0.5) > 90);
      expect(page.lumaAt(0.5, 0.1)).toBe(16);
      preview!.update(shown({ layout: 'fit' }));
      await page.until(() => page.lumaAt(0.5, 0.1) > 30);
    });

    test('with a gradient between the edges that face it', async () => {
      const beside = { ...panel([[0, 0, 320]], { x: 30, y: 0, width: 30, height: 160 }) };
      const page = await open(planOf({ layout: 'fit', background: 'gradient', panels: [beside] }));
      await page.until(() => page.lumaAt(0.5, 0.5) > 90);
      expect(Math.abs(page.lumaAt(0.02, 0.5) - lumaAt(6))).toBeLessThan(18);
      expect(Math.abs(page.lumaAt(0.98, 0.5) - lumaAt(314))).toBeLessThan(18);
      expect(page.lumaAt(0.3, 0.5)).toBeGreaterThan(page.lumaAt(0.1, 0.5));
    });
  });

  test('has as many pixels as the screen shows', async () => {
    const { canvas } = await open(planOf({ panels: [panel([[0, 0, 100]])] }));
    const ratio = Math.min(devicePixelRatio, 2);
    expect([canvas.width, canvas.height]).toEqual([45 * ratio, 80 * ratio]);
  });

  test('shows a new plan and a new size at once while the video stands still', async () => {
    const page = await open(planOf({ panels: [panel([[0, 0, 100]])] }));
    await page.until(() => page.drawn.length > 0);
    preview!.update(planOf({ panels: [panel([[0, 220, 100]])] }));
    await page.until(() => page.lumaAt(0.5, 0.5) > lumaAt(240));
    const before = page.drawn.length;
    page.canvas.style.width = '90px';
    page.canvas.style.height = '160px';
    await page.until(() => page.drawn.length > before && page.canvas.height === 160);
    expect(page.lumaAt(0.5, 0.5)).toBeCloseTo(lumaAt(270), -1);
  });

  test('changes on the frame on which a segment begins', async () => {
    const page = await open(
      planOf({ panels: [panel([[0, 0, 100]])], end_frame: 12 }, { panels: [panel([[12, 220, 100]])] }),
    );
    for (const [frame, x] of [
      [11, 50],
      [12, 270],
    ] as const) {
      await seek(page.video, (frame + 0.5) / rateHz);
      await page.until(() => Math.abs((page.drawn.at(-1)?.timeSec ?? -1) - frame / rateHz) < 0.001);
      expect(page.lumaAt(0.5, 0.5)).toBeCloseTo(lumaAt(x), -1);
    }
  });

  test('draws several panels', async () => {
    const half = { width: 90, height: 80 };
    const page = await open(
      planOf({
        panels: [
          panel([[0, 0, 100]], { x: 0, y: 0, ...half }),
          panel([[0, 220, 100]], { x: 0, y: 80, ...half }),
        ],
      }),
    );
    await page.until(() => page.lumaAt(0.5, 0.25) > 20);
    expect(page.lumaAt(0.5, 0.25)).toBeCloseTo(lumaAt(50), -1);
    expect(page.lumaAt(0.5, 0.75)).toBeCloseTo(lumaAt(270), -1);
  });

  test.each(['blur', 'black'] as const)('puts the whole picture over a %s fill', async background => {
    const whole = panel([[0, 0, width]], { x: 0, y: 54, width: 90, height: 52 });
    const page = await open(planOf({ layout: 'fit', background, panels: [whole] }));
    await page.until(() => page.lumaAt(0.05, 0.5) > 20);
    expect(page.lumaAt(0.05, 0.5)).toBeCloseTo(lumaAt(16), -1);
    expect(page.lumaAt(0.95, 0.5)).toBeCloseTo(lumaAt(304), -1);
    const above = page.lumaAt(0.5, 0.15);
    // Half as bright as the middle of the picture, above black.
    if (background === 'blur') expect(above).toBeCloseTo(16 + (lumaAt(160) - 16) / 2, -1);
    else expect(above).toBeLessThan(18);
  });

  test('counts the frames of a playing video, at any rate', async () => {
    const page = await open(planOf({ panels: [panel([[0, 0, 100]])] }));
    page.video.playbackRate = 0.5;
    await page.video.play();
    await page.until(() => (page.drawn.at(-1)?.timeSec ?? 0) > 0.2);
    const { drawn, dropped, clock } = preview!.stats;
    expect(clock).toBe('frames');
    expect(drawn).toBeGreaterThan(1);
    expect(drawn + dropped).toBeLessThanOrEqual(frames);
  });

  test('draws nothing more once it is closed', async () => {
    const page = await open(planOf({ panels: [panel([[0, 0, 100]])] }));
    await page.until(() => page.lumaAt(0.5, 0.5) > 20);
    preview!.close();
    const before = page.drawn.length;
    preview!.update(planOf({ panels: [panel([[0, 220, 100]])] }));
    await seek(page.video, 0.5);
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    expect(page.drawn.length).toBe(before);
  });

  test('refuses a plan without segments', async () => {
    await expect(open(planOf())).rejects.toThrow(/no segments/);
  });
});
