import { describe, expect, test } from 'vitest';
import type { Compositor, Drawing } from '../../src/compositing/compositor.js';
import type { Size } from '../../src/schema/geometry.js';
import type { FrameCase } from './frames.js';
import { frameCases } from './frames.js';

export type OpenCompositor = (outputSize: Size) => Promise<Compositor>;

export const outputSize: Size = { width: 90, height: 160 };
const whole = { x: 0, y: 0, ...outputSize };

/** What is drawn, for a source of any shape. */
export const drawings: readonly { name: string; of: (display: Size) => Drawing }[] = [
  {
    name: 'one crop',
    of: ({ width, height }) => {
      const crop = { width: (height * 9) / 16, height };
      const source = { x: (width - crop.width) * 0.4, y: 0, ...crop };
      return { panels: [{ source, output: whole }], background: 'black' };
    },
  },
  {
    name: 'a close crop between pixels',
    of: ({ width, height }) => {
      const crop = { width: (height * 9) / 40, height: height / 2.5 };
      const source = { x: width * 0.33 + 0.37, y: height * 0.21 + 0.83, ...crop };
      return { panels: [{ source, output: whole }], background: 'black' };
    },
  },
  {
    name: 'the whole picture over a blurred fill',
    of: ({ width, height }) => {
      const shown = Math.min(160, (90 * height) / width);
      const output = { x: 0, y: (160 - shown) / 2, width: 90, height: shown };
      return { panels: [{ source: { x: 0, y: 0, width, height }, output }], background: 'blur' };
    },
  },
  {
    name: 'two panels with a black line between',
    of: ({ width, height }) => ({
      panels: [
        {
          source: { x: 0, y: 0, width: width / 2, height: height * 0.8 },
          output: { x: 0, y: 0, width: 90, height: 76 },
        },
        {
          source: { x: width / 2, y: height * 0.2, width: width / 2, height: height * 0.8 },
          output: { x: 0, y: 84, width: 90, height: 76 },
        },
      ],
      background: 'black',
    }),
  },
];

/** The three planes of an I420 frame, rows packed, each limited to the legal range that players show. */
export async function planesOfFrame(frame: VideoFrame): Promise<[Uint8Array, Uint8Array, Uint8Array]> {
  const data = new Uint8Array(frame.allocationSize());
  const layout = await frame.copyTo(data);
  const { width, height } = frame.visibleRect!;
  return [0, 1, 2].map(plane => {
    const [w, h] = plane ? [width / 2, height / 2] : [width, height];
    const { offset, stride } = layout[plane]!;
    const packed = new Uint8Array(w * h);
    for (let y = 0; y < h; y++)
      packed.set(data.subarray(offset + y * stride, offset + y * stride + w), y * w);
    return packed.map(value => Math.min(plane ? 240 : 235, Math.max(16, value)));
  }) as [Uint8Array, Uint8Array, Uint8Array];
}

/** Draws one case and brings it to memory. */
export async function composed(open: OpenCompositor, frameCase: FrameCase, drawing: Drawing) {
  const compositor = await open(outputSize);
  const frame = frameCase.make();
  try {
    const drawn = await compositor.compose(frame, frameCase.display, drawing);
    const planes = await planesOfFrame(drawn);
    drawn.close();
    return planes;
  } finally {
    frame.close();
    compositor.close();
  }
}

/** What every compositor keeps. */
export function compositorContract(name: string, open: OpenCompositor): void {
  const [smooth] = frameCases as [FrameCase];
  const crop = drawings[0]!.of(smooth.display);

  describe(`compositor ${name}`, () => {
    test('gives 8-bit SDR BT.709 frames of the output size with the time of their source', async () => {
      const compositor = await open(outputSize);
      const frame = smooth.make();
      const drawn = await compositor.compose(frame, smooth.display, crop);
      expect(drawn.format).toBe('I420');
      expect([drawn.displayWidth, drawn.displayHeight]).toEqual([90, 160]);
      expect([drawn.timestamp, drawn.duration]).toEqual([40_000, 20_000]);
      expect(drawn.colorSpace.toJSON()).toMatchObject({ matrix: 'bt709', fullRange: false });
      // The source stays open and the caller's.
      expect(frame.format).toBe('I420');
      drawn.close();
      frame.close();
      compositor.close();
    });

    test('frames that were handed out do not change when the next one is drawn', async () => {
      const compositor = await open(outputSize);
      const draw = async (frameCase: FrameCase) => {
        const frame = frameCase.make();
        const drawn = await compositor.compose(frame, frameCase.display, drawings[0]!.of(frameCase.display));
        frame.close();
        return drawn;
      };
      const first = await draw(smooth);
      const before = await planesOfFrame(first);
      const second = await draw(frameCases[1]!);
      expect(await planesOfFrame(first)).toEqual(before);
      expect(await planesOfFrame(second)).not.toEqual(before);
      first.close();
      second.close();
      compositor.close();
    });

    test('black stays black where no panel lies', async () => {
      const [y, u, v] = await composed(open, smooth, drawings[3]!.of(smooth.display));
      for (let row = 76; row < 84; row++)
        for (let x = 0; x < 90; x++) {
          expect(y[row * 90 + x]).toBe(16);
          expect(u[(row >> 1) * 45 + (x >> 1)]).toBe(128);
          expect(v[(row >> 1) * 45 + (x >> 1)]).toBe(128);
        }
      expect(y[70 * 90 + 45]).toBeGreaterThan(20);
      expect(y[90 * 90 + 45]).toBeGreaterThan(20);
    });

    test('a mean is kept: the crop is as bright as what it shows', async () => {
      const [y] = await composed(open, smooth, crop);
      const { source } = crop.panels[0]!;
      let expected = 0;
      for (let row = 0; row < 90; row++)
        for (let i = 0; i < 50; i++) {
          const [r, g, b] = smooth.at(source.x + i, row);
          expected += 16 + (219 / 255) * (0.2126 * r! + 0.7152 * g! + 0.0722 * b!);
        }
      expect(Math.abs(y.reduce((a, b) => a + b) / y.length - expected / (90 * 50))).toBeLessThan(1);
    });

    test('odd and empty sizes are refused', async () => {
      await expect(open({ width: 91, height: 160 })).rejects.toThrow(RangeError);
      await expect(open({ width: 90, height: 0 })).rejects.toThrow(RangeError);
    });
  });
}
