import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGpu } from '../../src/inference/device.js';
import { createCpuSampler } from '../../src/sampling/cpu.js';
import type { Sample } from '../../src/sampling/sampler.js';
import { createGpuSampler } from '../../src/sampling/webgpu.js';
import { difference, frameCases } from '../contract/frames.js';
import type { SamplerUnderTest } from '../contract/sampler-contract.js';
import { readAll, samplerContract } from '../contract/sampler-contract.js';

let device: GPUDevice;
const errors: string[] = [];
beforeAll(async () => {
  const gpu = await openGpu();
  if (gpu.kind === 'none') throw new Error(gpu.reason);
  expect(gpu.videoImport).toBe(true);
  device = gpu.device;
  device.addEventListener('uncapturederror', event => errors.push(event.error.message));
});
afterAll(() => {
  device.destroy();
  expect(errors).toEqual([]);
});

const cpu: SamplerUnderTest = {
  open: async () => createCpuSampler(),
  read: async sample => {
    if (sample.kind !== 'cpu') throw new Error('expected a sample in memory');
    return sample.data;
  },
};

async function readBuffer(sample: Sample): Promise<Float32Array> {
  if (sample.kind !== 'gpu') throw new Error('expected a sample on the GPU');
  const sizeBytes = 4 * sample.dims.reduce((a, b) => a * b);
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
  const reader = device.createBuffer({ size: Math.max(4, sizeBytes), usage });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(sample.buffer, 0, reader, 0, sizeBytes);
  device.queue.submit([encoder.finish()]);
  sample.release();
  await reader.mapAsync(GPUMapMode.READ);
  const data = new Float32Array(reader.getMappedRange().slice(0, sizeBytes));
  reader.destroy();
  return data;
}

const imported: SamplerUnderTest = { open: async () => createGpuSampler(device), read: readBuffer };
const uploaded: SamplerUnderTest = { open: async () => createGpuSampler(device, false), read: readBuffer };

samplerContract('cpu', cpu);
samplerContract('webgpu, frames imported', imported);
samplerContract('webgpu, planes uploaded', uploaded);

describe.each([
  ['frames imported', imported],
  ['planes uploaded', uploaded],
] as const)('WebGPU with %s agrees with the CPU', (_, gpu) => {
  test.each(frameCases)('$name', async frameCase => {
    const [a, b] = [await readAll(cpu, frameCase), await readAll(gpu, frameCase)];
    const levels = (x: Float32Array, y: Float32Array, unit: number) => {
      const { mean, max } = difference(x, y);
      return { mean: mean * unit, max: max * unit };
    };
    const measured = {
      thumbnail: levels(a.thumbnail, b.thumbnail, 255),
      letterbox: levels(a.letterbox, b.letterbox, 255),
      luma: levels(a.luma, b.luma, 1),
      parts: levels(a.parts, b.parts, 1),
      crops: levels(a.crops, b.crops, 1),
    };
    for (const key of ['thumbnail', 'letterbox', 'luma', 'parts'] as const) {
      expect(measured[key].mean, JSON.stringify(measured)).toBeLessThanOrEqual(1);
      expect(measured[key].max, JSON.stringify(measured)).toBeLessThanOrEqual(4);
    }
    expect(measured.crops.mean, JSON.stringify(measured)).toBeLessThanOrEqual(1);
    expect(measured.crops.max, JSON.stringify(measured)).toBeLessThanOrEqual(6);
    if (import.meta.env.VITE_FIGURES) console.info(frameCase.name, JSON.stringify(measured));
  });
});
