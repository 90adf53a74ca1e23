import { expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { compareDetectors, compareSpeaker, sure, withGpu } from '../../bench/parity/page/compare-devices.js';

const readShared = async (path: string): Promise<Uint8Array<ArrayBuffer>> => {
  const base64 = await commands.readFile(`../shared/${path}`, 'base64');
  return new Uint8Array(await (await fetch(`data:application/octet-stream;base64,${base64}`)).arrayBuffer());
};
const readModel = (name: string) => readShared(`models/${name}.onnx`);
const still = await readShared('golden/face_4.png').catch(() => undefined);

test.skipIf(!still)(
  'WebGPU finds the faces that WASM finds, on one still at 320×192 (needs ../shared)',
  async () => {
    const [found] = await withGpu(gpu =>
      compareDetectors(readModel, gpu, [new Blob([still!])], { width: 320, height: 192 }),
    );
    expect(sure(found!.wasm).length).toBeGreaterThan(0);
    expect(sure(found!.webgpu)).toHaveLength(sure(found!.wasm).length);
    expect(found!.minIou).toBeGreaterThan(0.98);
  },
);

test.skipIf(!still)('WebGPU gives the speaker logits of WASM, on five frames (needs ../shared)', async () => {
  const { embeddings, logits } = await withGpu(gpu => compareSpeaker(readModel, gpu, 5));
  expect(embeddings).toBeLessThan(0.01);
  expect(logits).toBeLessThan(0.05);
});
