import type { Detection } from '../core/detection.js';
import { letterboxOf } from '../core/letterbox.js';
import { suppressOverlaps } from '../core/suppress-overlaps.js';
import { ReframeError } from '../schema/error.js';
import type { Size } from '../schema/geometry.js';
import { type FaceDetector, inputSizeOf, measurement, toDisplay } from './face-detector.js';
import type { Output, Session } from './session.js';

const strides = [8, 16, 32] as const;

/**
 * YuNet: a tenth of YOLOv8-face's work and a permissive licence, weaker on small faces.
 * Input float32 `[1, 3, height, width]`, BGR 0–255, letterboxed on black, sides multiples of 32.
 *
 * @param name - The model's id, for results and messages.
 * @param floor - Confidence (0–1) below which candidates are dropped; evaluations go lower than jobs.
 */
export function createYunet(session: Session, name: string, floor: number = measurement.floor): FaceDetector {
  const inputName = session.inputNames[0]!;
  return {
    name,
    inputSpec: (display, longSide) => ({
      ...inputSizeOf(display, longSide),
      channelOrder: 'bgr',
      padValue: 0,
      scale: 1,
    }),
    async detect(sample, display) {
      const inputSize = { height: sample.dims[2]!, width: sample.dims[3]! };
      const outputs = await session.run({ [inputName]: sample });
      const found = suppressOverlaps(decodeYunet(outputs, inputSize, floor), measurement.maxIou);
      const letterbox = letterboxOf(display, inputSize);
      return found.map(detection => toDisplay(detection, letterbox));
    },
    close: () => session.close(),
  };
}

/**
 * Reads YuNet's outputs: for each stride s of 8, 16, 32 `cls_s`, `obj_s` `[1, n, 1]` (probabilities),
 * `bbox_s` `[1, n, 4]` and `kps_s` `[1, n, 10]` (in cells), n cells row by row.
 *
 * @returns Candidates from `floor` on in input pixels, overlaps included.
 * @throws ReframeError `model_corrupt` when an output is missing or does not fit the input size.
 * @see https://github.com/ShiqiYu/libfacedetection.train (Apache-2.0)
 */
export function decodeYunet(
  outputs: Readonly<Record<string, Output>>,
  inputSize: Size,
  floor: number = measurement.floor,
): Detection[] {
  return strides.flatMap(stride => {
    const columns = inputSize.width / stride;
    const count = columns * (inputSize.height / stride);
    const read = (name: string, channels: number) => {
      const data = outputs[`${name}_${stride}`]?.data;
      if (data?.length === count * channels) return data;
      throw new ReframeError(
        'model_corrupt',
        `YuNet's output "${name}_${stride}" should hold ${count} × ${channels} numbers, not ${data?.length ?? 0}.`,
      );
    };
    const [classes, objects] = [read('cls', 1), read('obj', 1)];
    const [boxes, points] = [read('bbox', 4), read('kps', 10)];
    const found: Detection[] = [];
    for (let cell = 0; cell < count; cell++) {
      const confidence = Math.sqrt(classes[cell]! * objects[cell]!);
      if (!(confidence >= floor)) continue;
      const gridX = cell % columns;
      const gridY = Math.floor(cell / columns);
      const width = Math.exp(boxes[cell * 4 + 2]!) * stride;
      const height = Math.exp(boxes[cell * 4 + 3]!) * stride;
      found.push({
        x: (gridX + boxes[cell * 4]!) * stride - width / 2,
        y: (gridY + boxes[cell * 4 + 1]!) * stride - height / 2,
        width,
        height,
        confidence,
        landmarks: [0, 1, 2, 3, 4].map(k => ({
          x: (points[cell * 10 + 2 * k]! + gridX) * stride,
          y: (points[cell * 10 + 2 * k + 1]! + gridY) * stride,
        })),
      });
    }
    return found;
  });
}
