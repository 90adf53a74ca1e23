import { describe, expect, test } from 'vitest';
import type { Compositor, Drawing, Overlay } from '../../src/compositing/compositor.js';
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
  {
    name: 'three rounded panels, one of them over another, on a colour',
    of: ({ width, height }) => ({
      panels: [
        {
          source: { x: 0, y: 0, width: width * 0.5, height: height * 0.9 },
          output: { x: 6, y: 6, width: 78, height: 88 },
          cornerRadius: 15.5,
        },
        {
          source: { x: width * 0.5, y: height * 0.1, width: width * 0.5, height: height * 0.9 },
          output: { x: 6, y: 100, width: 78, height: 54 },
          cornerRadius: 8,
        },
        {
          source: { x: width * 0.3, y: height * 0.2, width: width * 0.2, height: height * 0.3 },
          output: { x: 50, y: 80, width: 30, height: 30 },
          cornerRadius: 40,
        },
      ],
      background: 'colour',
      backgroundColour: '#c04a1e',
    }),
  },
  {
    name: 'the picture without its bars, over a blur of the same part',
    of: ({ width, height }) => ({
      panels: [{ source: withoutBars({ width, height }), output: { x: 0, y: 62, width: 90, height: 36 } }],
      background: 'blur',
    }),
  },
  {
    name: 'four panels with gaps, on a gradient from top to bottom',
    of: ({ width, height }) => ({
      panels: [0, 1, 2, 3].map(i => ({
        source: {
          x: (i % 2) * width * 0.5,
          y: (i >> 1) * height * 0.5,
          width: width * 0.4,
          height: height * 0.5,
        },
        output: { x: (i % 2) * 47, y: 20 + (i >> 1) * 64, width: 43, height: 58 },
      })),
      background: 'gradient',
    }),
  },
  {
    name: 'a tall part, on a gradient from left to right',
    of: ({ width, height }) => ({
      panels: [
        {
          source: { x: width * 0.4, y: 0, width: width * 0.1, height },
          output: { x: 30, y: 0, width: 30, height: 160 },
          cornerRadius: 6,
        },
      ],
      background: 'gradient',
    }),
  },
  {
    name: 'one crop under an overlay',
    of: ({ width, height }) => {
      const crop = { width: (height * 9) / 16, height };
      const source = { x: (width - crop.width) * 0.4, y: 0, ...crop };
      return { panels: [{ source, output: whole }], background: 'black', overlay: badge };
    },
  },
];

/** A disc of one colour with a soft edge, half clear in its lower half. */
const badge: Overlay = overlayOf({ x: 20, y: 100, width: 50, height: 40 }, (x, y) => {
  const edge = Math.min(1, Math.max(0, 18.5 - Math.hypot(x - 25, y - 20)));
  return [0xc0, 0x4a, 0x1e, Math.round(255 * edge * (y < 20 ? 1 : 0.5))];
});

/** An overlay that is what a function says of each pixel: R', G', B' and transparency, 0–255. */
export function overlayOf(
  box: Overlay['box'],
  at: (x: number, y: number) => readonly [number, number, number, number],
): Overlay {
  const rgba = new Uint8ClampedArray(4 * box.width * box.height);
  for (let y = 0; y < box.height; y++)
    for (let x = 0; x < box.width; x++) rgba.set(at(x, y), 4 * (y * box.width + x));
  return { box, rgba };
}

/** The middle of a picture that has bars around it. */
const withoutBars = ({ width, height }: Size) => ({
  ...{ x: width * 0.1, y: height * 0.2 },
  ...{ width: width * 0.8, height: height * 0.6 },
});

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

    test('a colour is exactly what is asked for, in gaps and behind rounded corners', async () => {
      const [y, u, v] = await composed(open, smooth, drawings[4]!.of(smooth.display));
      // #c04a1e in BT.709, limited range.
      const [luma, blue, red] = [98, 97, 182];
      for (const [x, row] of [
        [2, 2],
        [6, 6],
        [83, 93],
        [44, 96],
        [2, 158],
      ] as const) {
        expect(Math.abs(y[row * 90 + x]! - luma)).toBeLessThanOrEqual(1);
        const chroma = (row >> 1) * 45 + (x >> 1);
        if (x < 6 || row === 96) expect(Math.abs(u[chroma]! - blue)).toBeLessThanOrEqual(1);
        if (x < 6 || row === 96) expect(Math.abs(v[chroma]! - red)).toBeLessThanOrEqual(1);
      }
      expect(Math.abs(y[30 * 90 + 8]! - luma)).toBeGreaterThan(1);
    });

    test('later panels lie over earlier ones, and show them behind their corners', async () => {
      const drawing = drawings[4]!.of(smooth.display);
      const [with3] = await composed(open, smooth, drawing);
      const [with2] = await composed(open, smooth, { ...drawing, panels: drawing.panels.slice(0, 2) });
      const at = (x: number, row: number) => Math.abs(with3[row * 90 + x]! - with2[row * 90 + x]!);
      // The third is a circle of 30 pixels.
      for (const [x, row] of [
        [50, 80],
        [79, 80],
        [50, 109],
        [79, 109],
        [40, 95],
      ] as const)
        expect(at(x, row)).toBe(0);
      let changed = 0;
      for (let row = 84; row < 106; row++) for (let x = 54; x < 76; x++) changed += Number(at(x, row) > 1);
      expect(changed).toBeGreaterThan(300);
    });

    test('bars that a panel leaves out are not in the blur either', async () => {
      const barred = frameCases.find(({ name }) => name === 'white bars')!;
      const [y] = await composed(open, barred, drawings[5]!.of(barred.display));
      // Inside of the bars all is a dark blue, of half the brightness in the blur; the bars would be at 98.
      for (let row = 0; row < 60; row++)
        for (let x = 0; x < 90; x++) expect(y[row * 90 + x], `${x}, ${row}`).toBeLessThan(55);
    });

    test('a gradient goes from the mean of one edge to the mean of the other', async () => {
      const barred = frameCases.find(({ name }) => name === 'white bars')!;
      // Only the lower bar is shown: from dark to white, downwards.
      const { width, height } = barred.display;
      const panel = {
        source: { x: width * 0.2, y: height * 0.5, width: width * 0.6, height: height * 0.5 },
        output: { x: 0, y: 70, width: 90, height: 20 },
      };
      const [y] = await composed(open, barred, { panels: [panel], background: 'gradient' });
      const rows = Array.from({ length: 160 }, (_, row) => y[row * 90 + 45]!);
      expect(Math.abs(rows[2]! - y[70 * 90 + 45]!)).toBeLessThan(3);
      expect(Math.abs(rows[157]! - y[88 * 90 + 45]!)).toBeLessThan(3);
      const free = [...rows.slice(0, 70), ...rows.slice(90)];
      for (const [i, value] of free.slice(1).entries()) expect(value).toBeGreaterThanOrEqual(free[i]! - 1);
    });

    test('an overlay is exactly its colour where it hides the picture, and nothing where it is clear', async () => {
      const [y, u, v] = await composed(open, smooth, { ...crop, overlay: badge });
      const [plainY, plainU, plainV] = await composed(open, smooth, crop);
      // #c04a1e in BT.709, limited range, ten rows above the middle of the disc.
      const luma = 110 * 90 + 45;
      const chroma = 55 * 45 + 22;
      expect(Math.abs(y[luma]! - 98)).toBeLessThanOrEqual(1);
      expect(Math.abs(u[chroma]! - 97)).toBeLessThanOrEqual(1);
      expect(Math.abs(v[chroma]! - 182)).toBeLessThanOrEqual(1);
      // Half of the colour, half of the picture.
      const half = 130 * 90 + 45;
      expect(Math.abs(y[half]! - (98 + plainY[half]!) / 2)).toBeLessThanOrEqual(1.5);
      const { box } = badge;
      for (let row = 0; row < 160; row++)
        for (let x = 0; x < 90; x++) {
          const away = Math.hypot(x - box.x - 25, row - box.y - 20) > 21.5;
          if (!away) continue;
          const at = [row * 90 + x, (row >> 1) * 45 + (x >> 1)] as const;
          expect([y[at[0]], u[at[1]], v[at[1]]]).toEqual([plainY[at[0]], plainU[at[1]], plainV[at[1]]]);
        }
    });

    test('an overlay lies over its own frame only, and another one replaces it', async () => {
      const compositor = await open(outputSize);
      const draw = async (overlay?: Overlay) => {
        const frame = smooth.make();
        const drawn = await compositor.compose(frame, smooth.display, {
          ...crop,
          ...(overlay && { overlay }),
        });
        const planes = await planesOfFrame(drawn);
        drawn.close();
        frame.close();
        return planes;
      };
      const before = await draw();
      const covered = await draw(badge);
      expect(covered).not.toEqual(before);
      expect(await draw()).toEqual(before);
      const white = overlayOf({ x: 0, y: 0, width: 90, height: 2 }, () => [255, 255, 255, 255]);
      const [y] = await draw(white);
      expect([...y.subarray(0, 180)].every(value => value === 235)).toBe(true);
      expect(y.subarray(180)).toEqual(before[0].subarray(180));
      expect(await draw(badge)).toEqual(covered);
      compositor.close();
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
