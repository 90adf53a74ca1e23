import { letterboxOf } from '../core/letterbox.js';
import { lumaWeights } from '../pixels/colour.js';
import type { GpuDesk, Word } from '../pixels/gpu-desk.js';
import { createGpuDesk, real } from '../pixels/gpu-desk.js';
import type { GpuPicture } from '../pixels/gpu-picture.js';
import { createGpuLoader } from '../pixels/gpu-picture.js';
import type { PlaneMaps } from '../pixels/plane-maps.js';
import type { PixelBox, Size } from '../schema/geometry.js';
import { greyMaps, greySizeOf } from './grey.js';
import { letterboxMaps, thumbnailMaps } from './picture-maps.js';
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
    thumbnail: async () => thumbnailOf(desk, checked()),
    letterbox: async spec => letterboxed(desk, checked(), spec),
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

async function thumbnailOf(desk: GpuDesk, picture: GpuPicture): Promise<Float32Array> {
  const { width, height } = thumbnailSize;
  const buffer = toTensor(desk, picture, thumbnailMaps(picture.size), {
    tensor: thumbnailSize,
    box: { x: 0, y: 0, width, height },
    strides: [3, 3 * width],
    channels: [0, 1, 2],
    scale: 1 / 255,
    padValue: 0,
  });
  try {
    return new Float32Array(await desk.read(buffer, 3 * 4 * width * height));
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

function greyOf(desk: GpuDesk, { texture, size, display, colour }: GpuPicture): GreyPicture {
  const { width, height } = greySizeOf(size);
  const wordsPerRow = Math.ceil(width / 4);
  const grey = desk.takeBuffer(4 * wordsPerRow * height);
  const job = desk.begin();
  const source = width < size.width ? job.resize(texture, greyMaps(size)) : texture;
  const parameters = [width, height, wordsPerRow, ...lumaWeights(colour.matrix).map(real)];
  job.run('grey', parameters, [source.createView(), { buffer: grey }], [wordsPerRow, height]);
  job.submit();
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
