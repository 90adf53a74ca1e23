import { ReframeError } from '../schema/error.js';
import type { Size } from '../schema/geometry.js';
import { groupSide, kernels } from './gpu-kernels.js';
import type { PlaneMaps } from './plane-maps.js';
import type { Taps } from './taps.js';

export type KernelName = keyof typeof kernels;

/** Parameters of a kernel: whole numbers, and floats marked by {@link real}. */
export type Word = number | { readonly real: number };

/** Marks a parameter that the kernel reads as a float. */
export const real = (value: number): Word => ({ real: value });

/** Commands of one submission. What a job borrows goes back to the desk when the job is submitted. */
export type GpuJob = {
  /** A picture for the time of the job. */
  texture(size: Size): GPUTexture;
  /** A buffer for the time of the job. */
  buffer(sizeBytes: number): GPUBuffer;
  run(
    name: KernelName,
    parameters: ArrayLike<Word> | Int32Array,
    bindings: GPUBindingResource[],
    extent: Extent,
  ): void;
  /**
   * Resizes by one map per axis. @param place - Draws into this picture, from its left and top, with this gain on
   * the colours; default a picture of its own.
   */
  resize(source: GPUTexture, maps: PlaneMaps, place?: Place): GPUTexture;
  readonly encoder: GPUCommandEncoder;
  submit(): void;
};

export type Extent = readonly [width: number, height: number, layers?: number];
export type Place = {
  readonly target: GPUTexture;
  readonly x: number;
  readonly y: number;
  readonly gain: number;
};

/** Kernels of one device, and its spare textures and buffers. */
export type GpuDesk = {
  readonly device: GPUDevice;
  begin(): GpuJob;
  /** A picture, rgba16float; return it with `giveTexture`. */
  takeTexture(size: Size): GPUTexture;
  giveTexture(texture: GPUTexture): void;
  /**
   * A storage buffer of the size, rounded up to what ONNX Runtime asks of tensors; return the buffer with
   * `giveBuffer`.
   */
  takeBuffer(sizeBytes: number): GPUBuffer;
  giveBuffer(buffer: GPUBuffer): void;
  /** Copies bytes back to memory. @throws ReframeError `device_lost` when the device is gone. */
  read(buffer: GPUBuffer, sizeBytes: number): Promise<ArrayBuffer>;
  close(): void;
};

/** Spares of one size that are kept: a few frames' worth. */
const sparesPerSize = 8;

export function createGpuDesk(device: GPUDevice): GpuDesk {
  const pipelines = new Map<KernelName, GPUComputePipeline>();
  const textures = createShelf<GPUTexture>();
  const buffers = createShelf<GPUBuffer>();
  const readers = createShelf<GPUBuffer>();
  const take = (sizeBytes: number) => {
    const size = 16 * Math.ceil(Math.max(1, sizeBytes) / 16);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    return buffers.take(String(size)) ?? device.createBuffer({ size, usage });
  };
  const desk: GpuDesk = {
    device,
    takeTexture: ({ width, height }) =>
      textures.take(`${width} ${height}`) ??
      device.createTexture({
        size: [width, height],
        format: 'rgba16float',
        usage:
          GPUTextureUsage.TEXTURE_BINDING |
          GPUTextureUsage.STORAGE_BINDING |
          GPUTextureUsage.RENDER_ATTACHMENT,
      }),
    giveTexture: texture => textures.give(`${texture.width} ${texture.height}`, texture),
    takeBuffer: take,
    giveBuffer: buffer => buffers.give(String(buffer.size), buffer),
    begin: () => beginJob(desk, pipelines),
    async read(buffer, sizeBytes) {
      const key = String(roomFor(sizeBytes));
      const reader =
        readers.take(key) ??
        device.createBuffer({
          size: roomFor(sizeBytes),
          usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
        });
      const encoder = device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, reader, 0, sizeBytes);
      device.queue.submit([encoder.finish()]);
      try {
        await reader.mapAsync(GPUMapMode.READ, 0, sizeBytes);
      } catch (cause) {
        throw new ReframeError('device_lost', 'Pixels could not be read back.', { cause });
      }
      const bytes = reader.getMappedRange(0, sizeBytes).slice(0);
      reader.unmap();
      readers.give(key, reader);
      return bytes;
    },
    close() {
      for (const shelf of [textures, buffers, readers]) shelf.clear();
    },
  };
  return desk;
}

/** Buffers of ours come in powers of two, so that few sizes serve all. */
const roomFor = (sizeBytes: number): number => 2 ** Math.ceil(Math.log2(Math.max(256, sizeBytes)));

/** Spare things by key. */
function createShelf<T extends { destroy(): void }>() {
  const kept = new Map<string, T[]>();
  let isOpen = true;
  return {
    take: (key: string): T | undefined => kept.get(key)?.pop(),
    give(key: string, thing: T) {
      const list = kept.get(key) ?? [];
      kept.set(key, list);
      if (isOpen && list.length < sparesPerSize) list.push(thing);
      else thing.destroy();
    },
    clear() {
      isOpen = false;
      for (const thing of [...kept.values()].flat()) thing.destroy();
      kept.clear();
    },
  };
}

function beginJob(desk: GpuDesk, pipelines: Map<KernelName, GPUComputePipeline>): GpuJob {
  const { device } = desk;
  const encoder = device.createCommandEncoder();
  const textures: GPUTexture[] = [];
  const buffers: GPUBuffer[] = [];
  const kept = <T>(list: T[], thing: T): T => {
    list.push(thing);
    return thing;
  };
  const job: GpuJob = {
    encoder,
    texture: size => kept(textures, desk.takeTexture(size)),
    buffer: sizeBytes => kept(buffers, desk.takeBuffer(roomFor(sizeBytes))),
    run(name, parameters, bindings, [width, height, layers = 1]) {
      const words = parameters instanceof Int32Array ? parameters : wordsOf(parameters);
      const buffer = job.buffer(words.byteLength);
      device.queue.writeBuffer(buffer, 0, words as Int32Array<ArrayBuffer>);
      let pipeline = pipelines.get(name);
      if (!pipeline) {
        const module = device.createShaderModule({ code: kernels[name] });
        pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
        pipelines.set(name, pipeline);
      }
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      const entries = [{ buffer }, ...bindings].map((resource, binding) => ({ binding, resource }));
      pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
      pass.dispatchWorkgroups(Math.ceil(width / groupSide), Math.ceil(height / groupSide), layers);
      pass.end();
    },
    resize(source, { across, down }, place) {
      const lines = job.texture({ width: across.length, height: source.height });
      const size = { width: across.length, height: down.length };
      const { target, x, y, gain } = place ?? { target: job.texture(size), x: 0, y: 0, gain: 1 };
      const pass = (
        axis: number,
        taps: Taps,
        from: GPUTexture,
        to: GPUTexture,
        origin: number[],
        factor: number,
      ) => {
        const extent = [size.width, axis ? size.height : from.height] as const;
        const head = [axis, ...extent, ...origin, real(factor), taps.count];
        const words = new Int32Array(head.length + taps.start.length + taps.weights.length);
        words.set(wordsOf(head));
        words.set(taps.start, head.length);
        new Float32Array(words.buffer).set(taps.weights, head.length + taps.start.length);
        job.run('resample', words, [from.createView(), to.createView()], extent);
      };
      pass(0, across, source, lines, [0, 0], 1);
      pass(1, down, lines, target, [x, y], gain);
      return target;
    },
    submit() {
      device.queue.submit([encoder.finish()]);
      // Work queued later waits for this, so the next job may have them at once.
      textures.forEach(desk.giveTexture);
      buffers.forEach(desk.giveBuffer);
    },
  };
  return job;
}

function wordsOf(parameters: ArrayLike<Word>): Int32Array {
  const words = new Int32Array(parameters.length);
  const floats = new Float32Array(words.buffer);
  Array.from(parameters).forEach((word, i) => {
    if (typeof word === 'number') words[i] = word;
    else floats[i] = word.real;
  });
  return words;
}
