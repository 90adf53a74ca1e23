import { describe, expect, test } from 'vitest';
import { letterboxOf } from '../../src/core/letterbox.js';
import type { CropSpec, LetterboxSpec, Picture, Sample, Sampler } from '../../src/sampling/sampler.js';
import type { FrameCase } from './frames.js';
import { codedAt, difference, frameCases } from './frames.js';

export type SamplerUnderTest = {
  readonly open: () => Promise<Sampler>;
  /** Brings a sample to memory and releases it. */
  readonly read: (sample: Sample) => Promise<Float32Array>;
};

export const letterboxSpec: LetterboxSpec = {
  width: 96,
  height: 64,
  channelOrder: 'rgb',
  padValue: 114,
  scale: 1 / 255,
};
export const cropSpec: CropSpec = { width: 28, height: 28, padValue: 110 };
/** Inside, across an edge, outside; fractions as smoothed boxes have them. */
export const cropBoxes = [
  { x: 30.25, y: 20.5, width: 40.5, height: 40.5 },
  { x: -9, y: 60, width: 33.3, height: 44 },
  { x: 400, y: 10, width: 20, height: 20 },
];

/** Across an edge, larger and smaller than it is. */
export const partBox = { x: -6.5, y: 12.25, width: 50, height: 50 };
export const partSizes = [
  { width: 70, height: 70 },
  { width: 24, height: 24 },
];

export const lumaSize = { width: 50, height: 30 };

export type Reading = {
  thumbnail: Float32Array;
  letterbox: Float32Array;
  luma: Float32Array;
  /** Both parts, one after the other. */
  parts: Float32Array;
  crops: Float32Array;
};

/** Everything that a picture gives, after the frame is closed. */
export async function readAll({ open, read }: SamplerUnderTest, frameCase: FrameCase): Promise<Reading> {
  const sampler = await open();
  const frame = frameCase.make();
  const picture = await sampler.open(frame, frameCase.display).finally(() => frame.close());
  const grey = await picture.grey();
  const thumbnail = await picture.thumbnail();
  const letterbox = await read(await picture.letterbox(letterboxSpec));
  const luma = Float32Array.from(await picture.luma(lumaSize));
  const parts: number[] = [];
  for (const size of partSizes) parts.push(...(await picture.part(partBox, size)));
  picture.close();
  const crops = await grey.faceCrops(cropBoxes, cropSpec);
  grey.close();
  sampler.close();
  return { thumbnail, letterbox, luma, parts: Float32Array.from(parts), crops };
}

/** What every sampler keeps. */
export function samplerContract(name: string, sampler: SamplerUnderTest): void {
  const withPicture = async <T>(work: (picture: Picture) => Promise<T>, frameCase = frameCases[0]!) => {
    const opened = await sampler.open();
    const frame = frameCase.make();
    try {
      const picture = await opened.open(frame, frameCase.display);
      frame.close();
      return await work(picture);
    } finally {
      opened.close();
    }
  };

  describe(`sampler ${name}`, () => {
    test.each(frameCases.filter(({ name: of }) => /smooth|turned by 90|aspect|RGBA/.test(of)))(
      'a part of "$name" holds the drawn colours, upright, and its edge goes on',
      async frameCase => {
        const frame = frameCase.make();
        const size = frame.visibleRect!;
        frame.close();
        const box = { x: -4, y: 10, width: 40, height: 40 };
        const side = 80;
        const data = await withPicture(
          picture => picture.part(box, { width: side, height: side }),
          frameCase,
        );
        for (let y = 2; y < side - 2; y += 3)
          for (let x = 12; x < side - 2; x += 3) {
            const shown = [box.x + (x + 0.5) / 2 - 0.5, box.y + (y + 0.5) / 2 - 0.5] as const;
            const drawn = frameCase.at(...codedAt(frameCase, size, ...shown));
            // As for letterboxes: chroma rounding and interpolation.
            for (const c of [0, 1, 2])
              expect(Math.abs(data[3 * (y * side + x) + c]! - drawn[c]!)).toBeLessThan(6);
          }
        for (const c of [0, 1, 2])
          expect(data[3 * side * 40 + c]).toBeCloseTo(data[3 * (side * 40 + 6) + c]!, 0);
      },
    );

    test.each(
      frameCases.filter(({ name: of }) => /smooth|odd|turned by 90|aspect|full|601 m|10 bits|RGBA/.test(of)),
    )('the letterbox of "$name" holds the drawn colours, upright', async frameCase => {
      const frame = frameCase.make();
      const size = frame.visibleRect!;
      frame.close();
      const data = await withPicture(
        async picture => sampler.read(await picture.letterbox(letterboxSpec)),
        frameCase,
      );
      const box = letterboxOf(frameCase.display, letterboxSpec);
      const area = letterboxSpec.width * letterboxSpec.height;
      for (let y = 3; y < box.height - 3; y += 2)
        for (let x = 3; x < box.width - 3; x += 2) {
          const shown = [(x + 0.5) / box.scale - 0.5, (y + 0.5) / box.scale - 0.5] as const;
          const drawn = frameCase.at(...codedAt(frameCase, size, ...shown));
          const at = (y + box.offsetY) * letterboxSpec.width + x + box.offsetX;
          // Chroma rounding and interpolation between pixels cost up to 5 levels on these slopes.
          for (const c of [0, 1, 2]) expect(Math.abs(data[c * area + at]! * 255 - drawn[c]!)).toBeLessThan(5);
        }
      const corner = box.offsetY > 0 || box.offsetX > 0 ? 114 / 255 : data[0]!;
      expect(data[0]).toBeCloseTo(corner, 5);
    });

    test('BGR is RGB the other way round', () =>
      withPicture(async picture => {
        const rgb = await sampler.read(await picture.letterbox(letterboxSpec));
        const bgr = await sampler.read(await picture.letterbox({ ...letterboxSpec, channelOrder: 'bgr' }));
        const area = letterboxSpec.width * letterboxSpec.height;
        expect(difference(bgr.subarray(0, area), rgb.subarray(2 * area)).max).toBe(0);
        expect(difference(bgr.subarray(2 * area), rgb.subarray(0, area)).max).toBe(0);
      }));

    test('shapes are as documented, also for no face at all', () =>
      withPicture(async picture => {
        expect((await picture.thumbnail()).length).toBe(27 * 48 * 3);
        const letterbox = await picture.letterbox(letterboxSpec);
        expect(letterbox.dims).toEqual([1, 3, 64, 96]);
        expect((await sampler.read(letterbox)).length).toBe(3 * 64 * 96);
        expect((await picture.luma(lumaSize)).length).toBe(50 * 30);
        const grey = await picture.grey();
        const crops = await grey.faceCrops(cropBoxes, cropSpec);
        expect(crops.length).toBe(3 * 28 * 28);
        expect((await grey.faceCrops([], cropSpec)).length).toBe(0);
      }));

    test('a box outside of the picture is padding', () =>
      withPicture(async picture => {
        const grey = await picture.grey();
        const crops = await grey.faceCrops(cropBoxes, cropSpec);
        for (const value of crops.subarray(2 * 28 * 28)) expect(value).toBe(110);
      }));

    test('grey copies outlive their pictures and are not overwritten by the next ones', async () => {
      const opened = await sampler.open();
      const grey: { value: Float32Array; again: () => Promise<Float32Array> }[] = [];
      for (const frameCase of [frameCases[0]!, frameCases[2]!, frameCases[1]!]) {
        const frame = frameCase.make();
        const picture = await opened.open(frame, frameCase.display);
        frame.close();
        const copy = await picture.grey();
        picture.close();
        const again = () => copy.faceCrops(cropBoxes, cropSpec);
        grey.push({ value: await again(), again });
      }
      for (const { value, again } of grey) expect(difference(await again(), value).max).toBe(0);
      expect(difference(grey[0]!.value, grey[1]!.value).mean).toBeGreaterThan(1);
      opened.close();
    });

    test('closed pictures refuse, and closing twice is harmless', () =>
      withPicture(async picture => {
        const grey = await picture.grey();
        grey.close();
        grey.close();
        await expect(grey.faceCrops(cropBoxes, cropSpec)).rejects.toThrow(TypeError);
        picture.close();
        picture.close();
        await expect(picture.letterbox(letterboxSpec)).rejects.toThrow(TypeError);
        await expect(picture.thumbnail()).rejects.toThrow(TypeError);
      }));
  });
}
