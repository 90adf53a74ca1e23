/**
 * A linear map between two rows of samples in which each output sums a few neighbouring inputs. Every resize
 * here is one map per axis, so that the CPU and the GPU run the same numbers.
 */
export type Taps = {
  /** Outputs. */
  readonly length: number;
  /** Weights per output, trailing zeros included. */
  readonly count: number;
  /** First input of each output; `start + count` never passes the end of the input. */
  readonly start: Int32Array;
  /** `length × count`; each output's weights sum to 1. */
  readonly weights: Float32Array;
};

/** Cuts `outputs` equal pieces out of a stretch of inputs; positions in input samples, fractions allowed. */
export type Stretch = {
  /** Left edge of the stretch; 0 is the left edge of the first sample. */
  readonly from: number;
  /** Inputs per output. */
  readonly step: number;
  readonly outputs: number;
  /** How many inputs there are; beyond both ends the outermost sample repeats. */
  readonly inputs: number;
};

/** Bilinear at half-pixel centres without a prefilter, as OpenCV's `INTER_LINEAR`. */
export function bilinearTaps({ from, step, outputs, inputs }: Stretch): Taps {
  return build(outputs, inputs, (output, add) => {
    const centre = from + (output + 0.5) * step - 0.5;
    const first = Math.floor(centre);
    add(first, 1 - (centre - first));
    add(first + 1, centre - first);
  });
}

/** The mean of what each output covers. */
export function areaTaps({ from, step, outputs, inputs }: Stretch): Taps {
  return build(outputs, inputs, (output, add) => {
    addMean(from + output * step, step, add);
  });
}

function addMean(left: number, width: number, add: (input: number, weight: number) => void): void {
  const right = left + width;
  for (let input = Math.floor(left); input < right; input++)
    add(input, (Math.min(right, input + 1) - Math.max(left, input)) / width);
}

/** The means of the first and of the last share of one output's piece: two outputs. */
export function edgeTaps({ from, step, inputs }: Stretch, share: number): Taps {
  const edge = step * share;
  return build(2, inputs, (output, add) => {
    const left = output ? from + step - edge : from;
    addMean(left, edge, add);
  });
}

/** Every output is its input. */
export const sameTaps = (samples: number): Taps => build(samples, samples, (output, add) => add(output, 1));

/**
 * Catmull-Rom, for magnifying: sharper than bilinear, and it passes through the samples.
 *
 * @see Keys, "Cubic convolution interpolation for digital image processing", 1981 (a = −½).
 */
export function cubicTaps({ from, step, outputs, inputs }: Stretch): Taps {
  return build(outputs, inputs, (output, add) => {
    const centre = from + (output + 0.5) * step - 0.5;
    const first = Math.floor(centre) - 1;
    for (let input = first; input < first + 4; input++) add(input, catmullRom(input - centre));
  });
}

/** A triangle that reaches `step` samples to both sides, for shrinking: bilinear with the prefilter that it needs. */
export function tentTaps({ from, step, outputs, inputs }: Stretch): Taps {
  const reach = Math.max(1, step);
  return build(outputs, inputs, (output, add) => {
    const centre = from + (output + 0.5) * step - 0.5;
    const first = Math.ceil(centre - reach);
    const last = Math.floor(centre + reach);
    let sum = 0;
    for (let input = first; input <= last; input++) sum += reach - Math.abs(input - centre);
    for (let input = first; input <= last; input++) add(input, (reach - Math.abs(input - centre)) / sum);
  });
}

/** The same map for outputs `from` to `to` only; shares the tables. */
export const sliceTaps = ({ count, start, weights }: Taps, from: number, to: number): Taps => ({
  length: to - from,
  count,
  start: start.subarray(from, to),
  weights: weights.subarray(from * count, to * count),
});

/** The map with every output multiplied. */
export const scaleTaps = (taps: Taps, gain: number): Taps =>
  gain === 1 ? taps : { ...taps, weights: taps.weights.map(weight => weight * gain) };

/** A Gaussian over neighbouring samples. @param sigma - Standard deviation in samples. */
export function gaussianTaps(samples: number, sigma: number): Taps {
  const radius = Math.ceil(3 * sigma);
  const kernel = Array.from({ length: 2 * radius + 1 }, (_, i) =>
    Math.exp(-(((i - radius) / sigma) ** 2) / 2),
  );
  const sum = kernel.reduce((a, b) => a + b);
  return build(samples, samples, (output, add) => {
    for (let i = 0; i < kernel.length; i++) add(output + i - radius, kernel[i]! / sum);
  });
}

/** The mean of each pair of outputs; an even number of outputs. */
export function halveTaps(taps: Taps): Taps {
  const pairs = areaTaps({ from: 0, step: 2, outputs: taps.length / 2, inputs: taps.length });
  return composeTaps(pairs, taps);
}

/** One map that does what `inner` and then `outer` do; `outer` reads the outputs of `inner`. */
export function composeTaps(outer: Taps, inner: Taps): Taps {
  let inputs = 0;
  for (const start of inner.start) inputs = Math.max(inputs, start + inner.count);
  return build(outer.length, inputs, (output, add) => {
    for (let i = 0; i < outer.count; i++) {
      const weight = outer.weights[output * outer.count + i]!;
      if (weight === 0) continue;
      const middle = outer.start[output]! + i;
      for (let j = 0; j < inner.count; j++)
        add(inner.start[middle]! + j, weight * inner.weights[middle * inner.count + j]!);
    }
  });
}

const catmullRom = (x: number): number => {
  const t = Math.abs(x);
  if (t < 1) return (1.5 * t - 2.5) * t * t + 1;
  return t < 2 ? ((-0.5 * t + 2.5) * t - 4) * t + 2 : 0;
};

/** Weights too small to move an 8-bit result. */
const negligible = 1e-6;

/** Collects weights per output, repeats the edge samples and cuts the table to the widest output. */
function build(
  outputs: number,
  inputs: number,
  fill: (output: number, add: (input: number, weight: number) => void) => void,
): Taps {
  // Weights of the output at hand, by input; zero again after each output.
  const sums = new Float64Array(inputs);
  let low = inputs;
  let high = -1;
  const add = (input: number, weight: number) => {
    if (Math.abs(weight) < negligible) return;
    const inside = Math.min(inputs - 1, Math.max(0, input));
    sums[inside]! += weight;
    if (inside < low) low = inside;
    if (inside > high) high = inside;
  };
  const firsts = new Int32Array(outputs);
  const ends = new Int32Array(outputs + 1);
  const found: number[] = [];
  let count = 1;
  for (let output = 0; output < outputs; output++) {
    low = inputs;
    high = -1;
    fill(output, add);
    firsts[output] = low;
    count = Math.max(count, high - low + 1);
    for (let input = low; input <= high; input++) {
      found.push(sums[input]!);
      sums[input] = 0;
    }
    ends[output + 1] = found.length;
  }
  const start = firsts.map(first => Math.min(first, inputs - count));
  const weights = new Float32Array(outputs * count);
  for (let output = 0; output < outputs; output++) {
    const shift = output * count + firsts[output]! - start[output]!;
    for (let i = ends[output]!; i < ends[output + 1]!; i++) weights[shift + i - ends[output]!] = found[i]!;
  }
  return { length: outputs, count, start, weights };
}
