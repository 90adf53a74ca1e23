import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeOnnx } from '../../src/convert/onnx-writer.js';
import { type Gpu, openGpu } from '../../src/inference/device.js';
import { openSession, type Session } from '../../src/inference/session.js';

/** A network that doubles eight numbers. */
const doubling = writeOnnx({
  name: 'doubling',
  inputs: [{ name: 'numbers', shape: [8] }],
  outputs: [{ name: 'twice', shape: [8] }],
  constants: [],
  nodes: [{ op: 'Add', inputs: ['numbers', 'numbers'], outputs: ['twice'] }],
});
const open = (device: Session['device'], gpu?: GPUDevice) =>
  openSession(doubling, 'doubling', { device, threads: 1, ...(gpu && { gpu }) });
const double = async (session: Session, number: number) => {
  const data = new Float32Array(8).fill(number);
  const { twice } = await session.run({ numbers: { kind: 'cpu', dims: [8], data } });
  return twice!.data[7];
};

let gpu: Gpu;
beforeAll(async () => {
  const opened = await openGpu();
  if (opened.kind === 'none') throw new Error(opened.reason);
  gpu = opened;
});
afterAll(() => gpu.device.destroy());

test('a session on the GPU opens where one on the CPU was first', async () => {
  const onCpu = await open('wasm');
  const onGpu = await open('webgpu', gpu.device);
  expect([await double(onCpu, 2), await double(onGpu, 3)]).toEqual([4, 6]);
  await Promise.all([onCpu.close(), onGpu.close()]);
});

test('sessions that share a GPU run and open while others run, on either device', async () => {
  const [onGpu, onCpu] = [await open('webgpu', gpu.device), await open('wasm', gpu.device)];
  const [first, second, late, third] = await Promise.all([
    double(onGpu, 1),
    double(onCpu, 2),
    open('wasm', gpu.device),
    double(onGpu, 3),
  ]);
  expect([first, second, third, await double(late, 4)]).toEqual([2, 4, 6, 8]);
  await Promise.all([onGpu.close(), onCpu.close(), late.close()]);
});

test('a device that the runtime was not built for is unavailable, and the model is not blamed', async () => {
  await expect(open('webgpu')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/ONNX Runtime does not run on webgpu here/),
  });
});

test('bytes that are no network are a corrupt model', async () => {
  const opening = openSession(new Uint8Array(64), 'noise', { device: 'wasm', threads: 1 });
  await expect(opening).rejects.toMatchObject({ code: 'model_corrupt' });
});
