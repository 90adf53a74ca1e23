import { describe, expect, test } from 'vitest';
import type { Output, Session } from '../../../src/inference/session.js';
import { createYolov8Face, decodeYolov8Face } from '../../../src/inference/yolov8-face.js';

const inputSize = { width: 96, height: 64 };
const strides = [8, 16, 32];
const cellCount = strides.reduce((sum, s) => sum + (inputSize.width / s) * (inputSize.height / s), 0);

/** One face: which cell says so, how far its sides are in cells, where its landmarks are in cells from it. */
type Cell = {
  readonly stride: number;
  readonly column: number;
  readonly row: number;
  readonly probability: number;
};
const sides = [1, 2, 3, 4] as const;
const landmark = (k: number) => [0.25 * k, 0.5 - 0.25 * k] as const;
const expected = ({ stride, column, row, probability }: Cell) => ({
  x: (column + 0.5 - 1) * stride,
  y: (row + 0.5 - 2) * stride,
  width: 4 * stride,
  height: 6 * stride,
  confidence: probability,
  landmarks: [0, 1, 2, 3, 4].map(k => ({
    x: (column + landmark(k)[0]) * stride,
    y: (row + landmark(k)[1]) * stride,
  })),
});

const indexOf = ({ stride, column, row }: Cell): number => {
  const before = strides.slice(0, strides.indexOf(stride));
  const first = before.reduce((sum, s) => sum + (inputSize.width / s) * (inputSize.height / s), 0);
  return first + row * (inputSize.width / stride) + column;
};

function decodedOutput(cells: readonly Cell[]): Record<string, Output> {
  const data = new Float32Array(20 * cellCount);
  for (const cell of cells) {
    const put = (channel: number, value: number) => {
      data[channel * cellCount + indexOf(cell)] = value;
    };
    sides.forEach((side, channel) => void put(channel, side));
    put(4, cell.probability);
    for (let k = 0; k < 5; k++) landmark(k).forEach((value, axis) => void put(5 + 3 * k + axis, value));
  }
  return { pred: { dims: [1, 20, cellCount], data } };
}

function headOutputs(cells: readonly Cell[]): Record<string, Output> {
  const heads = strides.map(stride => {
    const [rows, columns] = [inputSize.height / stride, inputSize.width / stride];
    const count = rows * columns;
    const data = new Float32Array(80 * count).fill(-20, 64 * count, 65 * count);
    for (const cell of cells.filter(other => other.stride === stride)) {
      const put = (channel: number, value: number) => {
        data[channel * count + cell.row * columns + cell.column] = value;
      };
      // All weight on one bin: its number is the distance.
      sides.forEach((side, index) => void put(index * 16 + side, 40));
      put(64, Math.log(cell.probability / (1 - cell.probability)));
      for (let k = 0; k < 5; k++)
        landmark(k).forEach((value, axis) => void put(65 + 3 * k + axis, value / 2));
    }
    return { dims: [1, 80, rows, columns], data };
  });
  // Files do not agree on the order of their heads.
  return { stride32: heads[2]!, output0: heads[0]!, stride16: heads[1]! };
}

const cells: Cell[] = [
  { stride: 8, column: 5, row: 3, probability: 0.9 },
  { stride: 16, column: 2, row: 1, probability: 0.5 },
  { stride: 32, column: 1, row: 0, probability: 0.75 },
  { stride: 8, column: 0, row: 7, probability: 0.05 },
];

describe('decodeYolov8Face', () => {
  test.each([
    ['one decoded output', decodedOutput(cells)],
    ['three raw heads', headOutputs(cells)],
  ])('reads %s', (_, outputs) => {
    const found = decodeYolov8Face(outputs, inputSize).sort((a, b) => a.width - b.width);
    expect(found).toHaveLength(3);
    found.forEach((face, i) => {
      const wanted = expected(cells[i]!);
      for (const key of ['x', 'y', 'width', 'height', 'confidence'] as const)
        expect(face[key]).toBeCloseTo(wanted[key], 4);
      face.landmarks!.forEach((point, k) => {
        expect(point.x).toBeCloseTo(wanted.landmarks[k]!.x, 4);
        expect(point.y).toBeCloseTo(wanted.landmarks[k]!.y, 4);
      });
    });
  });

  test('weighs the bins of a side by their softmax', () => {
    const outputs = headOutputs([cells[0]!]);
    const { data, dims } = outputs.output0!;
    const count = dims[2]! * dims[3]!;
    const at = cells[0]!.row * dims[3]! + cells[0]!.column;
    // Half on distance 1, half on distance 2.
    data[2 * count + at] = 40;
    expect(decodeYolov8Face(outputs, inputSize)[0]!.x).toBeCloseTo((5.5 - 1.5) * 8, 4);
  });

  test('reads the export without landmarks, which is in pixels', () => {
    const data = new Float32Array(5 * cellCount);
    [40, 30, 20, 10, 0.8].forEach((value, channel) => {
      data[channel * cellCount + 17] = value;
    });
    const [face, ...others] = decodeYolov8Face({ output0: { dims: [1, 5, cellCount], data } }, inputSize);
    expect(others).toEqual([]);
    expect(face).toEqual({ x: 30, y: 25, width: 20, height: 10, confidence: expect.closeTo(0.8) });
  });

  test.each([
    ['of another model', { scores: { dims: [1, 1000], data: new Float32Array(1000) } }],
    ['of another size', { pred: { dims: [1, 20, 8400], data: new Float32Array(20 * 8400) } }],
    ['with a head missing', { output0: { dims: [1, 80, 8, 12], data: new Float32Array(80 * 96) } }],
    ['none', {}],
  ])('refuses outputs: %s', (_, outputs) => {
    expect(() => decodeYolov8Face(outputs, inputSize)).toThrow(
      expect.objectContaining({ code: 'model_corrupt' }),
    );
  });
});

describe('createYolov8Face', () => {
  const sessionWith = (outputs: Record<string, Output>): Session => ({
    device: 'wasm',
    inputNames: ['images'],
    inputShapes: {},
    outputNames: Object.keys(outputs),
    run: async feeds => {
      expect(Object.keys(feeds)).toEqual(['images']);
      return outputs;
    },
    close: async () => {},
  });

  test('suppresses repeats and answers in pixels of the displayed picture', async () => {
    const twice = [cells[0]!, { ...cells[0]!, column: 6, probability: 0.6 }];
    const detector = createYolov8Face(sessionWith(decodedOutput(twice)), 'yolov8n-face');
    const sample = { kind: 'cpu', dims: [1, 3, 64, 96], data: new Float32Array(3 * 64 * 96) } as const;
    const found = await detector.detect(sample, { width: 192, height: 96 });
    // 192×96 lies in 96×64 at half its size, 8 pixels down.
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ x: 72, y: 8, width: 64, height: 96 });
    expect(detector.name).toBe('yolov8n-face');
  });

  test('asks for RGB 0–1 on grey', () => {
    const detector = createYolov8Face(sessionWith({}), 'yolov8n-face');
    expect(detector.inputSpec({ width: 1920, height: 1080 })).toEqual({
      width: 640,
      height: 384,
      channelOrder: 'rgb',
      padValue: 114,
      scale: 1 / 255,
    });
  });
});
