import { letterboxOf } from '../core/letterbox.js';
import { lumaWeights } from '../pixels/colour.js';
import type { GpuDesk, Word } from '../pixels/gpu-desk.js';
import { createGpuDesk, real } from '../pixels/gpu-desk.js';
import type { GpuPicture } from '../pixels/gpu-picture.js';
import { createGpuLoader } from '../pixels/gpu-picture.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import { greyMaps, greySizeOf } from './grey.js';
import { letterboxMaps, partMaps, wholeMaps } from './picture-maps.js';
import type { CropSpec, GreyPicture, LetterboxSpec, Picture, Sample, Sampler } from './sampler.js';
import { thumbnailSize } from './sampler.js';

/**
 * Samples on the GPU, with the same maps as the CPU: tensors stay in buffers of the device, only thumbnails and
 * face crops come back to memory.
 *
 * @param device - The one device, shared with the sessions.
 * @param videoImport - Whether importing a VideoFrame works on the device; where not, planes are uploaded.
 */
export function createGpuSampler(device: GPUDevice, videoImport = true): Sampler {
  const desk = createGpuDesk(device);
  const load = createGpuLoader(desk, videoImport);
  return {
    kind: 'webgpu',
    open: async (frame, display) => gpuPicture(desk, await load(frame, display)),
    close: () => desk.close(),
  };
}

function gpuPicture(desk: GpuDesk, loaded: GpuPicture): Picture {
  let isOpen = true;
  const checked = () => {
    if (!isOpen) throw new TypeError('The picture is closed.');
    return loaded;
  };
  return {
    thumbnail: async () => coloursOf(desk, checked(), wholeMaps(checked().size, thumbnailSize), 1 / 255),
    letterbox: async spec => letterboxed(desk, checked(), spec),
    luma: async size => lumaOf(desk, checked(), size),
    part: async (box, size) => coloursOf(desk, checked(), partMaps(checked(), box, size), 1),
    grey: async () => greyOf(desk, checked()),
    close() {
      if (isOpen) desk.giveTexture(loaded.texture);
      isOpen = false;
    },
  };
}

/** Where a resized picture lies in a tensor, as the `tensor` kernel takes it. */
type TensorSpec = {
  readonly tensor: Size;
  readonly box: PixelBox;
  readonly strides: readonly [x: number, y: number];
  readonly channels: readonly [red: number, green: number, blue: number];
  readonly scale: number;
  readonly padValue: number;
};

/** Resizes and converts into a buffer that the caller gives back. */
function toTensor(desk: GpuDesk, { texture }: GpuPicture, maps: PlaneMaps, spec: TensorSpec): GPUBuffer {
  const { tensor, box } = spec;
  const buffer = desk.takeBuffer(3 * 4 * tensor.width * tensor.height);
  const job = desk.begin();
  const small = job.resize(texture, maps);
  const parameters: Word[] = [
    tensor.width,
    tensor.height,
    box.x,
    box.y,
    box.width,
    box.height,
    ...spec.strides,
    ...spec.channels,
    real(spec.scale),
    real(spec.padValue),
  ];
  job.run('tensor', parameters, [small.createView(), { buffer }], [tensor.width, tensor.height]);
  job.submit();
  return buffer;
}

/** A picture through maps, in memory: float32 `[height, width, 3]`, RGB 0–255 times `scale`. */
async function coloursOf(
  desk: GpuDesk,
  picture: GpuPicture,
  maps: PlaneMaps,
  scale: number,
): Promise<Float32Array> {
  const size = { width: maps.across.length, height: maps.down.length };
  const buffer = toTensor(desk, picture, maps, {
    tensor: size,
    box: { x: 0, y: 0, ...size },
    strides: [3, 3 * size.width],
    channels: [0, 1, 2],
    scale,
    padValue: 0,
  });
  try {
    return new Float32Array(await desk.read(buffer, 3 * 4 * size.width * size.height));
  } finally {
    desk.giveBuffer(buffer);
  }
}

function letterboxed(desk: GpuDesk, picture: GpuPicture, spec: LetterboxSpec): Sample {
  const box = letterboxOf(picture.display, spec);
  const area = spec.width * spec.height;
  const buffer = toTensor(desk, picture, letterboxMaps(picture, box), {
    tensor: spec,
    box: { x: box.offsetX, y: box.offsetY, width: box.width, height: box.height },
    strides: [1, spec.width],
    channels: spec.channelOrder === 'rgb' ? [0, area, 2 * area] : [2 * area, area, 0],
    scale: spec.scale,
    padValue: spec.padValue,
  });
  return sampleOf(desk, buffer, [1, 3, spec.height, spec.width]);
}

function sampleOf(desk: GpuDesk, buffer: GPUBuffer, dims: readonly number[]): Sample {
  let isHeld = true;
  const release = () => {
    if (isHeld) desk.giveBuffer(buffer);
    isHeld = false;
  };
  return { kind: 'gpu', dims, buffer, release };
}

/** Packs brightness, four pixels to a word, into a buffer that the caller gives back. @param maps - To another size. */
function packGrey(
  desk: GpuDesk,
  { texture, colour }: GpuPicture,
  { width, height }: Size,
  maps?: PlaneMaps,
): { readonly buffer: GPUBuffer; readonly wordsPerRow: number } {
  const wordsPerRow = Math.ceil(width / 4);
  const buffer = desk.takeBuffer(4 * wordsPerRow * height);
  const job = desk.begin();
  const source = maps ? job.resize(texture, maps) : texture;
  const parameters = [width, height, wordsPerRow, ...lumaWeights(colour.matrix).map(real)];
  job.run('grey', parameters, [source.createView(), { buffer }], [wordsPerRow, height]);
  job.submit();
  return { buffer, wordsPerRow };
}

async function lumaOf(desk: GpuDesk, picture: GpuPicture, size: Size): Promise<Uint8Array> {
  const { width, height } = size;
  const { buffer, wordsPerRow } = packGrey(desk, picture, size, wholeMaps(picture.size, size));
  try {
    const packed = new Uint8Array(await desk.read(buffer, 4 * wordsPerRow * height));
    const luma = new Uint8Array(width * height);
    for (let y = 0; y < height; y++)
      luma.set(packed.subarray(4 * y * wordsPerRow, 4 * y * wordsPerRow + width), y * width);
    return luma;
  } finally {
    desk.giveBuffer(buffer);
  }
}

function greyOf(desk: GpuDesk, picture: GpuPicture): GreyPicture {
  const { size, display } = picture;
  const greySize = greySizeOf(size);
  const { width, height } = greySize;
  const maps = width < size.width ? greyMaps(size) : undefined;
  const { buffer: grey, wordsPerRow } = packGrey(desk, picture, greySize, maps);
  let isOpen = true;
  return {
    async faceCrops(boxes, spec) {
      if (!isOpen) throw new TypeError('The grey picture is closed.');
      if (!boxes.length) return new Float32Array(0);
      const sizeBytes = 4 * boxes.length * spec.width * spec.height;
      const values = desk.takeBuffer(sizeBytes);
      const scales = { x: width / display.width, y: height / display.height };
      const places = boxes.flatMap(box => placeOf(box, spec, scales)).map(real);
      const head = [width, height, wordsPerRow, spec.width, spec.height, real(spec.padValue)];
      const crops = desk.begin();
      const bindings = [{ buffer: grey }, { buffer: values }];
      crops.run('crops', [...head, ...places], bindings, [spec.width, spec.height, boxes.length]);
      crops.submit();
      try {
        return new Float32Array(await desk.read(values, sizeBytes));
      } finally {
        desk.giveBuffer(values);
      }
    },
    close() {
      if (isOpen) desk.giveBuffer(grey);
      isOpen = false;
    },
  };
}

/** Per axis the centre of the crop's first pixel and the step to the next, in grey pixels. */
function placeOf(box: PixelBox, spec: CropSpec, scales: { x: number; y: number }): number[] {
  const axis = (from: number, length: number, outputs: number, scale: number) => {
    const step = (length / outputs) * scale;
    return [from * scale + step / 2 - 0.5, step];
  };
  return [...axis(box.x, box.width, spec.width, scales.x), ...axis(box.y, box.height, spec.height, scales.y)];
}
