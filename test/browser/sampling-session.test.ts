import { expect, test } from 'vitest';
import { writeOnnx } from '../../src/convert/onnx-writer.js';
import { openGpu } from '../../src/inference/device.js';
import { openSession } from '../../src/inference/session.js';
import { createCpuSampler } from '../../src/sampling/cpu.js';
import { createGpuSampler } from '../../src/sampling/webgpu.js';
import { difference, frameCases } from '../contract/frames.js';

/** A network that doubles its input: whatever else differs, its answers show which values arrived. */
const doubling = () =>
  writeOnnx({
    name: 'doubling',
    inputs: [{ name: 'images', shape: [1, 3, 32, 32] }],
    outputs: [{ name: 'twice', shape: [1, 3, 32, 32] }],
    constants: [],
    nodes: [{ op: 'Add', inputs: ['images', 'images'], outputs: ['twice'] }],
  });

test('a letterbox goes from the GPU sampler into a session on the same device without leaving it', async () => {
  const gpu = await openGpu();
  if (gpu.kind === 'none') throw new Error(gpu.reason);
  expect(gpu).toMatchObject({ videoImport: true, isSoftware: true });
  const spec = { width: 32, height: 32, channelOrder: 'rgb', padValue: 114, scale: 1 / 255 } as const;
  const { display, make } = frameCases[0]!;
  const onGpu = createGpuSampler(gpu.device);
  const inMemory = createCpuSampler();
  const session = await openSession(doubling(), 'doubling', {
    device: 'webgpu',
    gpu: gpu.device,
    threads: 1,
  });
  const frame = make();
  try {
    const picture = await onGpu.open(frame, display);
    const sample = await picture.letterbox(spec);
    if (sample.kind !== 'gpu') throw new Error('expected a sample on the GPU');
    const { twice } = await session.run({ images: sample });
    sample.release();
    picture.close();
    const expected = await (await inMemory.open(frame, display)).letterbox(spec);
    if (expected.kind !== 'cpu') throw new Error('expected a sample in memory');
    const { mean, max } = difference(
      twice!.data,
      expected.data.map(value => 2 * value),
    );
    expect(mean * 255).toBeLessThan(2);
    expect(max * 255).toBeLessThan(8);
    // The buffer goes back to the sampler and serves the next picture.
    const again = await (await onGpu.open(frame, display)).letterbox(spec);
    expect(again.kind === 'gpu' && again.buffer).toBe(sample.buffer);
  } finally {
    frame.close();
    await session.close();
    onGpu.close();
    gpu.device.destroy();
  }
  expect(await gpu.lost).toMatch(/^destroyed/);
});
