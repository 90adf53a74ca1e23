import { iou } from '../../../src/core/box.js';
import type { Detection } from '../../../src/core/detection.js';
import { openGpu } from '../../../src/inference/device.js';
import { createSpeakerModel } from '../../../src/inference/lr-asd.js';
import { openSession, type Session } from '../../../src/inference/session.js';
import { createYolov8Face } from '../../../src/inference/yolov8-face.js';
import { createCpuSampler } from '../../../src/sampling/cpu.js';
import type { Size } from '../../../src/schema/geometry.js';

/** Bytes of a model by its file name, without `.onnx`. */
export type ReadModel = (name: string) => Promise<Uint8Array>;

/** What a detector finds in one picture on both devices. */
export type DetectorComparison = {
  readonly wasm: readonly Detection[];
  readonly webgpu: readonly Detection[];
  /** Least overlap of a sure face on WASM with the face it meets on WebGPU; 1 where there are none. */
  readonly minIou: number;
};

/** A face counts as sure from here on: the reference's threshold. */
export const sureFace = 0.45;

/** Runs work with a GPU device and closes it; without a GPU there is nothing to compare. */
export async function withGpu<Value>(work: (device: GPUDevice) => Promise<Value>): Promise<Value> {
  const gpu = await openGpu();
  if (gpu.kind === 'none') throw new Error(gpu.reason);
  try {
    return await work(gpu.device);
  } finally {
    gpu.device.destroy();
  }
}

/** Detects the faces of stills on WASM and on WebGPU, from the same pixels. */
export async function compareDetectors(
  read: ReadModel,
  gpu: GPUDevice,
  stills: readonly Blob[],
  input: Size,
): Promise<DetectorComparison[]> {
  const name = 'yolov8n-face-dist.w8';
  const bytes = await read(name);
  // The GPU first: the first session of a thread decides which build of the runtime it loads.
  const sessions: Session[] = [
    await openSession(bytes, name, { device: 'webgpu', gpu, threads: 1 }),
    await openSession(bytes, name, { device: 'wasm', threads: 1 }),
  ];
  const [onGpu, onCpu] = sessions.map(session => createYolov8Face(session, name));
  try {
    const comparisons: DetectorComparison[] = [];
    for (const still of stills) {
      const { sample, display } = await letterboxed(still, input);
      const webgpu = await onGpu!.detect(sample, display);
      const wasm = await onCpu!.detect(sample, display);
      comparisons.push({ wasm, webgpu, minIou: minIouOf(sure(wasm), webgpu) });
    }
    return comparisons;
  } finally {
    await Promise.all([onGpu!.close(), onCpu!.close()]);
  }
}

/** A still as a detector's input, by the same sampler for both devices. */
export async function letterboxed(still: Blob, input: Size) {
  using bitmap = disposable(await createImageBitmap(still));
  using frame = disposable(new VideoFrame(bitmap, { timestamp: 0 }));
  const display = { width: bitmap.width, height: bitmap.height, rotationDeg: 0 as const };
  const picture = await createCpuSampler().open(frame, display);
  const spec = { ...input, padValue: 114, scale: 1 / 255, channelOrder: 'rgb' as const };
  const sample = await picture.letterbox(spec);
  picture.close();
  return { sample, display };
}

const disposable = <Resource extends { close(): void }>(resource: Resource): Resource & Disposable =>
  Object.assign(resource, { [Symbol.dispose]: () => resource.close() });

/** Faces that count as sure. */
export const sure = (found: readonly Detection[]): Detection[] =>
  found.filter(({ confidence }) => confidence >= sureFace);

/** Least overlap of these boxes with the best of the others. */
export const minIouOf = (
  boxes: readonly Parameters<typeof iou>[0][],
  others: readonly Parameters<typeof iou>[0][],
): number => Math.min(1, ...boxes.map(box => Math.max(0, ...others.map(other => iou(box, other)))));

/** Largest difference of the speaker model's embeddings and logits between the devices, on formula-made faces. */
export async function compareSpeaker(
  read: ReadModel,
  gpu: GPUDevice,
  frames: number,
): Promise<{ readonly embeddings: number; readonly logits: number }> {
  const open = async (name: string, device: 'webgpu' | 'wasm') =>
    openSession(await read(name), name, { device, threads: 1, ...(device === 'webgpu' && { gpu }) });
  const visual = 'lr-asd-ava-visual.w16';
  const onGpu = await open(visual, 'webgpu');
  const model = createSpeakerModel({
    visual: await open(visual, 'wasm'),
    audio: await open('lr-asd-ava-audio.w16', 'wasm'),
    backend: await open('lr-asd-ava-backend', 'wasm'),
  });
  try {
    const data = Float32Array.from({ length: frames * 112 * 112 }, (_, i) => {
      const [t, y, x] = [Math.floor(i / 12544), Math.floor(i / 112) % 112, i % 112];
      return (7 * t + 3 * y + 5 * x + ((x * y) % 13)) % 256;
    });
    const crops = { kind: 'cpu', dims: [1, frames, 112, 112], data } as const;
    const features = Float32Array.from(
      { length: 4 * frames * 13 },
      (_, i) => 10 * Math.sin(0.1 * Math.floor(i / 13) * ((i % 13) + 1)),
    );
    const sound = await model.embedSound(features);
    const { visual: there } = await onGpu.run({ video: crops });
    const here = await model.embedFaces(crops);
    return {
      embeddings: largestGap(there!.data, here),
      logits: largestGap(
        await model.score(there!.data, sound, frames),
        await model.score(here, sound, frames),
      ),
    };
  } finally {
    await Promise.all([onGpu.close(), model.close()]);
  }
}

/** Largest absolute difference of two rows of numbers. */
export const largestGap = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);
