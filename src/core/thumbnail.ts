/** Thumbnails are float32 `[27, 48, 3]`, RGB 0–1: the whole picture, area-averaged whatever its shape. */
const [columns, rows] = [48, 27];
const pixelCount = columns * rows;
/** Grid over which structure is compared: small enough that a caption or a bar spoils few of its blocks. */
const [blockColumns, blockRows] = [8, 4];

/** Brightness and colour of a thumbnail, both in 0–255: the levels in which thresholds are stated. */
export type Levels = { readonly rgb: Float32Array; readonly luma: Float32Array };

/**
 * Prepares a thumbnail for comparison.
 *
 * @param thumbnail - float32 `[27, 48, 3]`, RGB 0–1.
 * @throws RangeError when it has another length.
 */
export function toLevels(thumbnail: ArrayLike<number>): Levels {
  if (thumbnail.length !== pixelCount * 3) {
    throw new RangeError(`a thumbnail holds ${pixelCount * 3} numbers, not ${thumbnail.length}`);
  }
  // Eighths of a level are exact in JSON with few digits, so that saved states stay small.
  const rgb = Float32Array.from(thumbnail, value => eighths(value * 255));
  const luma = new Float32Array(pixelCount);
  for (let i = 0; i < pixelCount; i++) {
    luma[i] = eighths(0.299 * rgb[3 * i]! + 0.587 * rgb[3 * i + 1]! + 0.114 * rgb[3 * i + 2]!);
  }
  return { rgb, luma };
}

const eighths = (value: number) => Math.round(value * 8) / 8;

/** Mean absolute difference, in the unit of the values. */
export function meanDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum / a.length;
}

/** Standard deviation of the brightness, in levels: near 0 for black, white and plain colours. */
export function spreadOf(luma: Float32Array): number {
  return Math.sqrt(momentsOf(luma, wholePicture).variance);
}

/**
 * How alike the structure of two pictures is, −1 to 1: the mean over a grid of blocks of the normalised
 * correlation of brightness. Light, exposure and colour may change as they like; edges must move.
 * Blocks that are plain in both pictures say little and weigh little; with nothing but those the answer is 1.
 */
export function structureCorrelation(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  let weights = 0;
  for (const block of blocks) {
    const [inA, inB] = [momentsOf(a, block), momentsOf(b, block)];
    let covariance = 0;
    for (const i of block) covariance += (a[i]! - inA.mean) * (b[i]! - inB.mean);
    covariance /= block.length;
    // The constant keeps noise in plain blocks from looking like structure.
    const correlation = covariance / (Math.sqrt(inA.variance * inB.variance) + noiseVariance);
    const weight = Math.min(1, Math.sqrt(Math.max(inA.variance, inB.variance)) / plainSpread);
    sum += weight * correlation;
    weights += weight;
  }
  return weights > minWeight ? sum / weights : 1;
}

/**
 * Explains a picture as a mix of two by least squares: `share` of `a`, and the squared `rest` that the mix
 * leaves, in units of the squared distance between `a` and `b`.
 */
export function mixOf(
  picture: Float32Array,
  a: Float32Array,
  b: Float32Array,
): { share: number; rest: number } {
  let [along, squares, distance] = [0, 0, 0];
  for (let i = 0; i < picture.length; i++) {
    const [toB, span] = [picture[i]! - b[i]!, a[i]! - b[i]!];
    along += toB * span;
    squares += toB * toB;
    distance += span * span;
  }
  const share = distance > 0 ? along / distance : 0;
  return { share, rest: distance > 0 ? (squares - share * along) / distance : 0 };
}

/** What is finer than five pixels: brightness less its mean around. */
export function detailOf(luma: Float32Array): Float32Array {
  return luma.map((value, i) => {
    const [x, y] = [i % columns, Math.floor(i / columns)];
    let [sum, count] = [0, 0];
    for (let j = Math.max(0, y - 2); j <= Math.min(rows - 1, y + 2); j++) {
      for (let k = Math.max(0, x - 2); k <= Math.min(columns - 1, x + 2); k++) {
        sum += luma[j * columns + k]!;
        count++;
      }
    }
    return value - sum / count;
  });
}

/** Variance that coding noise has, in levels². */
const noiseVariance = 2;
/** Blocks with less spread than this, in levels, count as plain. */
const plainSpread = 4;
/** Fewer blocks with structure than this are no evidence. */
const minWeight = 3;

const wholePicture = Int32Array.from({ length: pixelCount }, (_, i) => i);
const blocks: readonly Int32Array[] = Array.from({ length: blockColumns * blockRows }, (_, block) => {
  const [blockX, blockY] = [block % blockColumns, Math.floor(block / blockColumns)];
  return wholePicture.filter(
    i =>
      Math.floor(((i % columns) * blockColumns) / columns) === blockX &&
      Math.floor((Math.floor(i / columns) * blockRows) / rows) === blockY,
  );
});

function momentsOf(values: Float32Array, indices: Int32Array): { mean: number; variance: number } {
  let [sum, squares] = [0, 0];
  for (const i of indices) {
    sum += values[i]!;
    squares += values[i]! * values[i]!;
  }
  const mean = sum / indices.length;
  return { mean, variance: Math.max(0, squares / indices.length - mean * mean) };
}
