import type { Detection } from '../core/detection.js';
import { letterboxOf } from '../core/letterbox.js';
import { suppressOverlaps } from '../core/suppress-overlaps.js';
import { ReframeError } from '../schema/error.js';
import type { PixelPoint, Size } from '../schema/geometry.js';
import { type FaceDetector, inputSizeOf, measurement, toDisplay } from './face-detector.js';
import type { Output, Session } from './session.js';

const strides = [8, 16, 32] as const;
/** Each side of a box is a distribution over this many distances (0–15 cells). */
const binCount = 16;
const landmarkCount = 5;

/**
 * YOLOv8-face and its relatives. Input float32 `[1, 3, height, width]`, RGB 0–1, letterboxed on grey 114,
 * sides multiples of 32.
 *
 * @param name - The model's id, for results and messages.
 * @param floor - Confidence (0–1) below which candidates are dropped; evaluations go lower than jobs.
 */
export function createYolov8Face(
  session: Session,
  name: string,
  floor: number = measurement.floor,
): FaceDetector {
  const inputName = session.inputNames[0]!;
  return {
    name,
    inputSpec: (display, longSide) => ({
      ...inputSizeOf(display, longSide),
      channelOrder: 'rgb',
      padValue: 114,
      scale: 1 / 255,
    }),
    async detect(sample, display) {
      const inputSize = { height: sample.dims[2]!, width: sample.dims[3]! };
      const outputs = await session.run({ [inputName]: sample });
      const found = suppressOverlaps(decodeYolov8Face(outputs, inputSize, floor), measurement.maxIou);
      const letterbox = letterboxOf(display, inputSize);
      return found.map(detection => toDisplay(detection, letterbox));
    },
    close: () => session.close(),
  };
}

/**
 * Reads the outputs of the whole family, told apart by their shapes:
 * three heads `[1, 80, H/s, W/s]` (4 sides × 16 bins, class logit, 5 landmarks), one decoded
 * `[1, 20, N]` (4 distances in cells, probability, 5 landmarks in cells) and the Ultralytics export
 * without landmarks `[1, 5, N]` (centre and size in pixels, probability). N = all cells, row by row, stride 8 first.
 *
 * @returns Candidates from `floor` on in input pixels, overlaps included.
 * @throws ReframeError `model_corrupt` when the outputs are none of these.
 * @see Formulas: https://github.com/derronqi/yolov8-face (GPL-3.0), written anew from its description.
 */
export function decodeYolov8Face(
  outputs: Readonly<Record<string, Output>>,
  inputSize: Size,
  floor: number = measurement.floor,
): Detection[] {
  const list = Object.values(outputs);
  if (list.length === 1) {
    const output = list[0]!;
    const [, channels, count] = output.dims;
    const fits = output.dims.length === 3 && count === cellCount(inputSize);
    if (fits && channels === 20) return decodeDistances(output, inputSize, floor);
    if (fits && channels === 5) return decodeBoxes(output, floor);
  }
  const heads = list.filter(({ dims }) => dims.length === 4 && dims[1] === 80 && dims[3]! > 0);
  if (heads.length === strides.length && heads.length === list.length) {
    return heads.flatMap(head => decodeHead(head, inputSize.width / head.dims[3]!, floor));
  }
  const shapes = list.map(({ dims }) => `[${dims.join(', ')}]`).join(', ');
  throw new ReframeError(
    'model_corrupt',
    `A YOLOv8-face model gives [1, 20, N], [1, 5, N] or three [1, 80, h, w]; this one gave ${shapes}.`,
  );
}

const cellCount = ({ width, height }: Size) =>
  strides.reduce((sum, stride) => sum + (width / stride) * (height / stride), 0);

function decodeDistances({ data }: Output, inputSize: Size, floor: number): Detection[] {
  const count = cellCount(inputSize);
  const found: Detection[] = [];
  let cell = 0;
  for (const stride of strides) {
    const columns = inputSize.width / stride;
    const end = cell + (columns * inputSize.height) / stride;
    for (let first = cell; cell < end; cell++) {
      const confidence = data[4 * count + cell]!;
      if (!(confidence >= floor)) continue;
      const at = (channel: number) => data[channel * count + cell]!;
      const gridX = (cell - first) % columns;
      const gridY = Math.floor((cell - first) / columns);
      found.push({
        ...boxFromSides(gridX, gridY, [at(0), at(1), at(2), at(3)], stride),
        confidence,
        landmarks: landmarksOf(k => ({
          x: (at(5 + 3 * k) + gridX) * stride,
          y: (at(6 + 3 * k) + gridY) * stride,
        })),
      });
    }
  }
  return found;
}

function decodeHead({ dims, data }: Output, stride: number, floor: number): Detection[] {
  const [rows, columns] = [dims[2]!, dims[3]!];
  const count = rows * columns;
  // The class is a logit here: compared before the exponential, which most cells then never need.
  const floorLogit = Math.log(floor / (1 - floor));
  const found: Detection[] = [];
  for (let cell = 0; cell < count; cell++) {
    const at = (channel: number) => data[channel * count + cell]!;
    const logit = at(4 * binCount);
    if (!(logit >= floorLogit)) continue;
    const gridX = cell % columns;
    const gridY = Math.floor(cell / columns);
    const side = (index: number) => expectedBin(bin => at(index * binCount + bin));
    const first = 4 * binCount + 1;
    found.push({
      ...boxFromSides(gridX, gridY, [side(0), side(1), side(2), side(3)], stride),
      confidence: 1 / (1 + Math.exp(-logit)),
      landmarks: landmarksOf(k => ({
        x: (2 * at(first + 3 * k) + gridX) * stride,
        y: (2 * at(first + 3 * k + 1) + gridY) * stride,
      })),
    });
  }
  return found;
}

function decodeBoxes({ dims, data }: Output, floor: number): Detection[] {
  const count = dims[2]!;
  const found: Detection[] = [];
  for (let i = 0; i < count; i++) {
    const confidence = data[4 * count + i]!;
    if (!(confidence >= floor)) continue;
    const [width, height] = [data[2 * count + i]!, data[3 * count + i]!];
    found.push({ x: data[i]! - width / 2, y: data[count + i]! - height / 2, width, height, confidence });
  }
  return found;
}

/** Mean of the bins weighted by the softmax of their logits. */
function expectedBin(logitOf: (bin: number) => number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let bin = 0; bin < binCount; bin++) max = Math.max(max, logitOf(bin));
  let weights = 0;
  let sum = 0;
  for (let bin = 0; bin < binCount; bin++) {
    const weight = Math.exp(logitOf(bin) - max);
    weights += weight;
    sum += weight * bin;
  }
  return sum / weights;
}

type Sides = readonly [left: number, top: number, right: number, bottom: number];

/** Sides are distances in cells from the middle of the cell. */
const boxFromSides = (gridX: number, gridY: number, [left, top, right, bottom]: Sides, stride: number) => ({
  x: (gridX + 0.5 - left) * stride,
  y: (gridY + 0.5 - top) * stride,
  width: (left + right) * stride,
  height: (top + bottom) * stride,
});

const landmarksOf = (point: (index: number) => PixelPoint): PixelPoint[] =>
  Array.from({ length: landmarkCount }, (_, index) => point(index));
