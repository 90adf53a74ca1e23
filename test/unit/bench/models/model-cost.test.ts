import { expect, test } from 'vitest';
import { costOf } from '../../../../bench/models/cost/model-cost.js';
import { readOnnx } from '../../../../bench/models/cost/onnx-graph.js';
import { writeOnnx } from '../../../../src/convert/onnx-writer.js';
import type { ModelEntry } from '../../../../src/schema/model.js';

const floats = (length: number) => new Float32Array(length).fill(0.1);
/** A convolution with strides and groups, weights stored as halves, then a matrix product. */
const bytes = writeOnnx({
  name: 'made',
  inputs: [{ name: 'x', shape: [1, 4, 'height', 8] }],
  outputs: [{ name: 'y', shape: [1, 6, 'rows', 5] }],
  constants: [
    { name: 'half', dims: [6, 2, 3, 3], data: new Uint16Array(108) },
    { name: 'matrix', dims: [4, 5], data: floats(20) },
  ],
  nodes: [
    { op: 'Cast', inputs: ['half'], outputs: ['weights'], attributes: { to: 1 } },
    {
      op: 'Conv',
      inputs: ['x', 'weights'],
      outputs: ['seen'],
      attributes: { group: 2, kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] },
    },
    { op: 'Relu', inputs: ['seen'], outputs: ['kept'] },
    { op: 'MatMul', inputs: ['kept', 'matrix'], outputs: ['y'] },
  ],
});
const entry: ModelEntry = {
  id: 'made',
  task: 'face-detection',
  version: '1',
  file: 'made.onnx',
  bytes: bytes.length,
  sha256: '0'.repeat(64),
  licence: 'MIT',
  source: 'here',
  inputs: [{ name: 'x', type: 'float32', shape: [1, 4, 'height', 8] }],
  outputs: [{ name: 'y', type: 'float32', shape: [1, 6, 'rows', 5] }],
};

test('parameters and multiplications are those that the shapes give', async () => {
  const model = { id: 'made', entry, bytes, sha256: '', isOurs: false };
  const { parameters, macs } = await costOf(model, { height: 10 });
  expect(parameters).toBe(108 + 20);
  // Out of the convolution come 6 × 5 × 4 numbers of 2 · 3 · 3 products each, out of the matrix 6 × 5 × 5 of 4.
  expect(macs).toBe(6 * 5 * 4 * 18 + 6 * 5 * 5 * 4);
});

test('a graph is read as it was written', () => {
  const { nodes, constants } = readOnnx(bytes);
  expect(nodes.map(({ op }) => op)).toEqual(['Cast', 'Conv', 'Relu', 'MatMul']);
  expect(nodes[1]).toEqual({ op: 'Conv', inputs: ['x', 'weights'], outputs: ['seen'] });
  expect(constants.get('half')).toEqual({ dims: [6, 2, 3, 3], elementType: 10 });
});
