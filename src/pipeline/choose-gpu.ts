import { type Gpu, openGpu } from '../inference/device.js';
import type { EngineOptions } from './engine-options.js';

/** What a worker's device will be, and why. */
export type GpuChoice = {
  readonly reason: string;
  /** Absent where the processor does the work. Whoever asked calls `device.destroy()`. */
  readonly gpu?: Gpu;
  /** The GPU would have been taken, but there is none. */
  readonly isMissing: boolean;
};

/** Opens the GPU that a worker shall use: a software adapter, which is slower than WASM, only where it is asked for. */
export async function chooseGpu({ device }: Pick<EngineOptions, 'device'>): Promise<GpuChoice> {
  if (device === 'wasm') return { reason: 'asked for', isMissing: false };
  const gpu = await openGpu();
  if (gpu.kind === 'none') return { reason: gpu.reason, isMissing: true };
  const { description } = gpu;
  if (device === 'webgpu') return { gpu, reason: `asked for: ${description}`, isMissing: false };
  if (!gpu.isSoftware) return { gpu, reason: description, isMissing: false };
  gpu.device.destroy();
  return { reason: 'the only WebGPU adapter is a software one, which is slower than WASM', isMissing: false };
}
