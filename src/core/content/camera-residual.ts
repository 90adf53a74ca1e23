const [columns, rows] = [48, 27];
const count = columns * rows;
/** The camera's way between two frames is looked for this far, in cells. */
const [maxShiftX, maxShiftY] = [3, 2];
/** Rounds of fitting, each with less weight on what the camera does not explain. */
const rounds = 3;
/** Levels that noise and the grid make; a residual counts above this, and above this share of the slope under it. */
const [noiseLevels, slopeShare] = [2, 0.25];
const unknowns = 4;

/**
 * What changes between two thumbnails and is not the camera's doing: brightness is fitted by a shift, a zoom and a common
 * change of light (least squares on the optical flow equation, reweighted), and what is left over counts.
 *
 * @param before - Brightness in levels, `[27, 48]`.
 * @returns Levels, 0 where the camera explains everything.
 */
export function cameraResidual(before: Float32Array, after: Float32Array): Float32Array {
  const shift = bestShift(before, after);
  const rest = new Float32Array(count);
  const slopes = new Float32Array(count);
  const terms = new Float32Array(count * unknowns);
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < columns; x++) {
      const at = y * columns + x;
      const [fromX, fromY] = [clampTo(x - shift.x, columns), clampTo(y - shift.y, rows)];
      const [left, right] = [clampTo(fromX - 1, columns), clampTo(fromX + 1, columns)];
      const [above, below] = [clampTo(fromY - 1, rows), clampTo(fromY + 1, rows)];
      const slopeX =
        (before[fromY * columns + right]! - before[fromY * columns + left]!) / Math.max(1, right - left);
      const slopeY =
        (before[below * columns + fromX]! - before[above * columns + fromX]!) / Math.max(1, below - above);
      terms[at * unknowns] = slopeX;
      terms[at * unknowns + 1] = slopeY;
      terms[at * unknowns + 2] = (slopeX * (x - columns / 2) + slopeY * (y - rows / 2)) / columns;
      terms[at * unknowns + 3] = 1;
      slopes[at] = Math.abs(slopeX) + Math.abs(slopeY);
      rest[at] = after[at]! - before[fromY * columns + fromX]!;
    }
  const motion = fitMotion(terms, rest);
  for (let at = 0; at < count; at++) {
    const size = Math.abs(rest[at]! - explained(terms, motion, at));
    rest[at] = Math.max(0, size - noiseLevels - slopeShare * slopes[at]!);
  }
  return rest;
}

const clampTo = (value: number, end: number) => Math.max(0, Math.min(end - 1, value));

/** The shift in whole cells under which the two are most alike. */
function bestShift(before: Float32Array, after: Float32Array): { x: number; y: number } {
  let best = { x: 0, y: 0, cost: Number.POSITIVE_INFINITY };
  for (let y = -maxShiftY; y <= maxShiftY; y++)
    for (let x = -maxShiftX; x <= maxShiftX; x++) {
      let cost = 0;
      for (let j = maxShiftY; j < rows - maxShiftY; j += 2)
        for (let i = maxShiftX; i < columns - maxShiftX; i += 2)
          cost += Math.min(30, Math.abs(after[j * columns + i]! - before[(j - y) * columns + i - x]!));
      // Of two shifts that do as well, the shorter one.
      cost *= 1 + 0.01 * (Math.abs(x) + Math.abs(y));
      if (cost < best.cost) best = { x, y, cost };
    }
  return best;
}

function explained(terms: Float32Array, motion: Float64Array, at: number): number {
  let sum = 0;
  for (let k = 0; k < unknowns; k++) sum += terms[at * unknowns + k]! * motion[k]!;
  return sum;
}

/** Weighted least squares for the unknowns; weights fall with what the last round left over. */
function fitMotion(terms: Float32Array, rest: Float32Array): Float64Array {
  let motion: Float64Array = new Float64Array(unknowns);
  const width = unknowns + 1;
  for (let round = 0; round < rounds; round++) {
    const normal = new Float64Array(unknowns * width);
    // Keeps what the picture does not tell at nothing.
    for (let k = 0; k < unknowns; k++) normal[k * width + k] = 50;
    for (let at = 0; at < count; at++) {
      const left = round ? rest[at]! - explained(terms, motion, at) : 0;
      const weight = 1 / (1 + (left * left) / 36);
      for (let k = 0; k < unknowns; k++) {
        const of = weight * terms[at * unknowns + k]!;
        for (let l = k; l < unknowns; l++)
          normal[k * width + l] = normal[k * width + l]! + of * terms[at * unknowns + l]!;
        normal[k * width + unknowns] = normal[k * width + unknowns]! + of * rest[at]!;
      }
    }
    for (let k = 1; k < unknowns; k++)
      for (let l = 0; l < k; l++) normal[k * width + l] = normal[l * width + k]!;
    motion = solve(normal);
  }
  return motion;
}

/** Gauss elimination on rows of the matrix with the right side behind each; the matrix is positive definite. */
function solve(matrix: Float64Array): Float64Array {
  const width = unknowns + 1;
  for (let k = 0; k < unknowns; k++)
    for (let row = k + 1; row < unknowns; row++) {
      const factor = matrix[row * width + k]! / matrix[k * width + k]!;
      for (let column = k; column < width; column++)
        matrix[row * width + column] = matrix[row * width + column]! - factor * matrix[k * width + column]!;
    }
  const solution = new Float64Array(unknowns);
  for (let k = unknowns - 1; k >= 0; k--) {
    let sum = matrix[k * width + unknowns]!;
    for (let column = k + 1; column < unknowns; column++)
      sum -= matrix[k * width + column]! * solution[column]!;
    solution[k] = sum / matrix[k * width + k]!;
  }
  return solution;
}
