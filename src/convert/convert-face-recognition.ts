import { corrupt } from './corrupt.js';
import { buildGraph, type GraphBuilder } from './graph-builder.js';
import { readTfjsWeights, type StoredTensor, valuesOf } from './tfjs-weights.js';

/** Pixels on each side of the picture of a face. */
export const facePx = 150;
/** Numbers that describe a face. */
export const descriptorSize = 128;
/** Means that the network takes off its red, green and blue, 0–255. */
const means = [122.782, 117.001, 104.298];

/**
 * Turns dlib's face recognition network, as the package `@vladmandic/face-api` carries it for TensorFlow.js (MIT; weights
 * by D. King, public domain), into one ONNX file. Weights stay the bytes that most of them are in the package.
 *
 * Input `face`, float32 `[batch, 3, 150, 150]`, RGB in 0–255, the head with a quarter of its size around it. Output
 * `descriptor`, float32 `[batch, 128]`: two pictures of one person are nearer than about 0.6 of each other.
 * Layers as in dlib's `dnn_face_recognition_ex.cpp`: a convolution of 7×7, then residual blocks of two of 3×3.
 *
 * @param manifest - Text of `face_recognition_model-weights_manifest.json`.
 * @param weights - Bytes of `face_recognition_model.bin`.
 * @throws ReframeError `model_corrupt` where one is not what the other says.
 */
export function convertFaceRecognition(manifest: string, weights: Uint8Array): Uint8Array<ArrayBuffer> {
  const tensors = readTfjsWeights(manifest, weights);
  const g = buildGraph(false);
  const net = layersOf(g, tensors);
  const centred = g.add('Sub', ['face', g.floats([1, 3, 1, 1], means)]);
  let x = g.add('Div', [centred, g.floats([1], [255])]);
  x = g.add('Relu', [net.conv(x, 'conv32_down', { kernel: 7, stride: 2, pad: 0 })]);
  x = g.add('MaxPool', [x], { kernel_shape: [3, 3], strides: [2, 2] });
  for (const name of ['conv32_1', 'conv32_2', 'conv32_3']) x = net.residual(x, name);
  x = net.halved(x, 'conv64_down', { moreChannels: 32, short: false });
  for (const name of ['conv64_1', 'conv64_2', 'conv64_3']) x = net.residual(x, name);
  x = net.halved(x, 'conv128_down', { moreChannels: 64, short: false });
  for (const name of ['conv128_1', 'conv128_2']) x = net.residual(x, name);
  // From here on the convolution of stride 2 gives one row less than the pooling beside it.
  x = net.halved(x, 'conv256_down', { moreChannels: 128, short: true });
  for (const name of ['conv256_1', 'conv256_2']) x = net.residual(x, name);
  x = net.halved(x, 'conv256_down_out', { moreChannels: 0, short: true });
  const mean = g.add('ReduceMean', [x], { axes: [2, 3], keepdims: 0 });
  g.name('descriptor', 'MatMul', [mean, net.matrix('fc', [256, descriptorSize])]);
  return g.write(
    'face-recognition',
    [{ name: 'face', shape: ['batch', 3, facePx, facePx] }],
    [{ name: 'descriptor', shape: ['batch', descriptorSize] }],
  );
}

type Kernel = { readonly kernel: number; readonly stride: number; readonly pad: number };

function layersOf(g: GraphBuilder, tensors: ReadonlyMap<string, StoredTensor>) {
  const tensor = (name: string, dims?: readonly number[]): StoredTensor => {
    const found = tensors.get(name);
    if (!found) throw corrupt(`There is no ${name} in the weights.`);
    if (dims && String(found.dims) !== String(dims))
      throw corrupt(`${name} is of shape ${found.dims.join('×')}, not ${dims.join('×')}.`);
    return found;
  };
  /** Stored numbers as weights: each times a step, plus an offset; both may differ by output. */
  const weights = (
    dims: readonly number[],
    numbers: StoredTensor['numbers'],
    steps: number[],
    offsets: number[],
  ) => {
    const shape = [steps.length, ...dims.slice(1).map(() => 1)];
    const floats =
      numbers instanceof Float32Array
        ? g.floats(dims, numbers)
        : g.add('Cast', [g.bytes(dims, numbers)], { to: 1 });
    return g.add('Add', [g.add('Mul', [floats, g.floats(shape, steps)]), g.floats(shape, offsets)]);
  };
  const layers = {
    /** A convolution and the scale after it, folded into one. */
    conv(x: string, name: string, { kernel, stride, pad }: Kernel): string {
      const filters = tensor(`${name}/conv/filters`);
      const [high = 0, wide = 0, ins = 0, outs = 0] = filters.dims;
      if (high !== kernel || wide !== kernel)
        throw corrupt(`${name} is no convolution of ${kernel}×${kernel}.`);
      const vector = (part: string) => valuesOf(tensor(`${name}/${part}`, [outs]));
      const gain = vector('scale/weights');
      const [bias, shift] = [vector('conv/bias'), vector('scale/biases')];
      const turned = outsFirst(filters.numbers, kernel * kernel, ins, outs);
      const w = weights(
        [outs, ins, kernel, kernel],
        turned,
        Array.from(gain, value => value * filters.step),
        Array.from(gain, value => value * filters.offset),
      );
      const b = g.floats(
        [outs],
        Array.from(bias, (value, o) => value * gain[o]! + shift[o]!),
      );
      return g.add('Conv', [x, w, b], {
        kernel_shape: [kernel, kernel],
        strides: [stride, stride],
        pads: [pad, pad, pad, pad],
      });
    },
    residual(x: string, name: string): string {
      const first = g.add('Relu', [layers.conv(x, `${name}/conv1`, { kernel: 3, stride: 1, pad: 1 })]);
      const second = layers.conv(first, `${name}/conv2`, { kernel: 3, stride: 1, pad: 1 });
      return g.add('Relu', [g.add('Add', [second, x])]);
    },
    /** A residual block of half the size; zeros stand for channels and rows that only one side has. */
    halved(
      x: string,
      name: string,
      { moreChannels, short }: { moreChannels: number; short: boolean },
    ): string {
      const first = g.add('Relu', [layers.conv(x, `${name}/conv1`, { kernel: 3, stride: 2, pad: 0 })]);
      let second = layers.conv(first, `${name}/conv2`, { kernel: 3, stride: 1, pad: 1 });
      if (short) second = g.add('Pad', [second, g.ints(0, 0, 0, 0, 0, 0, 1, 1)]);
      let pooled = g.add('AveragePool', [x], { kernel_shape: [2, 2], strides: [2, 2] });
      if (moreChannels) pooled = g.add('Pad', [pooled, g.ints(0, 0, 0, 0, 0, moreChannels, 0, 0)]);
      return g.add('Relu', [g.add('Add', [pooled, second])]);
    },
    matrix(name: string, dims: readonly number[]): string {
      const { numbers, step, offset } = tensor(name, dims);
      return weights(dims, numbers, [step], [offset]);
    },
  };
  return layers;
}

/** `[cells, ins, outs]`, as TensorFlow.js keeps filters, to `[outs, ins, cells]`. */
function outsFirst(numbers: StoredTensor['numbers'], cells: number, ins: number, outs: number) {
  const out = numbers.slice();
  for (let cell = 0; cell < cells; cell++)
    for (let i = 0; i < ins; i++)
      for (let o = 0; o < outs; o++)
        out[(o * ins + i) * cells + cell] = numbers[(cell * ins + i) * outs + o]!;
  return out;
}
