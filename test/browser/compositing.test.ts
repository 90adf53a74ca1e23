import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCpuCompositor } from '../../src/compositing/cpu.js';
import { createGpuCompositor } from '../../src/compositing/webgpu.js';
import { openGpu } from '../../src/inference/device.js';
import type { OpenCompositor } from '../contract/compositor-contract.js';
import { composed, compositorContract, drawings } from '../contract/compositor-contract.js';
import { difference, frameCases } from '../contract/frames.js';

let device: GPUDevice;
const errors: string[] = [];
beforeAll(async () => {
  const gpu = await openGpu();
  if (gpu.kind === 'none') throw new Error(gpu.reason);
  device = gpu.device;
  device.addEventListener('uncapturederror', event => errors.push(event.error.message));
});
afterAll(() => {
  device.destroy();
  expect(errors).toEqual([]);
});

const cpu: OpenCompositor = async size => createCpuCompositor(size);
const imported: OpenCompositor = async size => createGpuCompositor(device, size);
const uploaded: OpenCompositor = async size => createGpuCompositor(device, size, false);

compositorContract('cpu', cpu);
compositorContract('webgpu, frames imported', imported);
compositorContract('webgpu, planes uploaded', uploaded);

describe.each([
  ['frames imported', imported],
  ['planes uploaded', uploaded],
] as const)('WebGPU with %s draws what the CPU draws', (_, gpu) => {
  describe.each(drawings)('$name', ({ of }) => {
    test.each(frameCases)('$name', async frameCase => {
      const drawing = of(frameCase.display);
      const [a, b] = [await composed(cpu, frameCase, drawing), await composed(gpu, frameCase, drawing)];
      const measured = a.map((plane, i) => difference(plane, b[i]!));
      for (const { mean, max } of measured) {
        expect(mean, JSON.stringify(measured)).toBeLessThanOrEqual(1);
        expect(max, JSON.stringify(measured)).toBeLessThanOrEqual(8);
      }
      if (import.meta.env.VITE_FIGURES) console.info(frameCase.name, JSON.stringify(measured));
    });
  });
});
