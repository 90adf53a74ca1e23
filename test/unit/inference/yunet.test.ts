import { describe, expect, test } from 'vitest';
import type { Output } from '../../../src/inference/session.js';
import { decodeYunet } from '../../../src/inference/yunet.js';

const inputSize = { width: 96, height: 64 };

/** All outputs at zero, but for one cell of stride 16: column 2, row 1. */
function outputsWithOneFace(): Record<string, Output> {
  const outputs: Record<string, Output> = {};
  for (const stride of [8, 16, 32]) {
    const count = (inputSize.width / stride) * (inputSize.height / stride);
    for (const [name, channels] of [
      ['cls', 1],
      ['obj', 1],
      ['bbox', 4],
      ['kps', 10],
    ] as const) {
      outputs[`${name}_${stride}`] = { dims: [1, count, channels], data: new Float32Array(count * channels) };
    }
  }
  const cell = 1 * 6 + 2;
  outputs.cls_16!.data[cell] = 0.9;
  outputs.obj_16!.data[cell] = 0.4;
  outputs.bbox_16!.data.set([0.5, 0.25, Math.log(2), Math.log(3)], cell * 4);
  outputs.kps_16!.data.set([0, 0, 1, 0, 0.5, 0.5, 0, 1, 1, 1], cell * 10);
  return outputs;
}

describe('decodeYunet', () => {
  test('reads boxes around their centre, landmarks and the geometric mean of both probabilities', () => {
    const [face, ...others] = decodeYunet(outputsWithOneFace(), inputSize);
    expect(others).toEqual([]);
    expect(face).toEqual({
      x: expect.closeTo(2.5 * 16 - 16),
      y: expect.closeTo(1.25 * 16 - 24),
      width: expect.closeTo(32),
      height: expect.closeTo(48),
      confidence: expect.closeTo(0.6),
      landmarks: [
        { x: 32, y: 16 },
        { x: 48, y: 16 },
        { x: 40, y: 24 },
        { x: 32, y: 32 },
        { x: 48, y: 32 },
      ],
    });
  });

  test('refuses missing outputs and those of another size', () => {
    const { kps_32: _, ...missing } = outputsWithOneFace();
    const refused = expect.objectContaining({ code: 'model_corrupt' });
    expect(() => decodeYunet(missing, inputSize)).toThrow(refused);
    expect(() => decodeYunet(outputsWithOneFace(), { width: 64, height: 64 })).toThrow(refused);
  });
});
