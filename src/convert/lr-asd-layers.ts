import type { Checkpoint } from './checkpoint.js';

/** Weights of a convolution (or a linear layer) and its offsets. */
export type Layer = {
  /** Shape of the weights, `[out, in, …]`. */
  readonly dims: readonly number[];
  /** Weights, row by row. */
  readonly weights: Float32Array;
  /** Offsets, one per output. */
  readonly bias: Float32Array;
};

/** Weights of one direction of a recurrent layer, in the order in which ONNX wants its gates. */
export type Gru = {
  /** Weights from the input, gate by gate. */
  readonly input: Float32Array;
  /** Weights from the state before, gate by gate. */
  readonly hidden: Float32Array;
  /** Offsets: those of the input, then those of the state, each gate by gate. */
  readonly bias: Float32Array;
};

/** Added to variances by every batch normalisation of LR-ASD; PyTorch's default is 1e-5. */
const varianceFloor = 1e-3;
/** Gates of a GRU: reset, update, new in PyTorch; update, reset, new in ONNX. */
const gateOrder = [1, 0, 2] as const;

/**
 * A convolution with the batch normalisation after it folded into its weights.
 *
 * @param weights - Name of the weights `[out, in, …]`, without offsets; @param norm - the normalisation's name.
 * @param dims - Shape in the checkpoint; axes of length 1 may be dropped for the graph with `as`.
 */
export function foldedConv(
  checkpoint: Checkpoint,
  weights: string,
  norm: string,
  dims: readonly number[],
  as: readonly number[] = dims,
): Layer {
  const channels = dims[0]!;
  const values = checkpoint.tensor(`${weights}.weight`, dims);
  const statistic = (name: string) => checkpoint.tensor(`${norm}.${name}`, [channels]);
  const [gain, offset] = [statistic('weight'), statistic('bias')];
  const [mean, variance] = [statistic('running_mean'), statistic('running_var')];
  // In double precision; typed arrays round once, when a value is stored.
  const scale = Array.from(gain, (value, i) => value / Math.sqrt(variance[i]! + varianceFloor));
  const perChannel = values.length / channels;
  return {
    dims: as,
    weights: values.map((value, i) => value * scale[Math.floor(i / perChannel)]!),
    bias: offset.map((value, i) => value - mean[i]! * scale[i]!),
  };
}

/** One direction of the recurrent layer; all inputs first, then all hidden ones, as ONNX has them. */
export function gruDirection(checkpoint: Checkpoint, name: string, inputs: number, hidden: number): Gru {
  const read = (part: string, columns: readonly number[]) => {
    const values = checkpoint.tensor(`${name}.${part}_l0`, [3 * hidden, ...columns]);
    const gate = values.length / 3;
    const ordered = new Float32Array(values.length);
    gateOrder.forEach((from, to) => {
      ordered.set(values.subarray(from * gate, (from + 1) * gate), to * gate);
    });
    return ordered;
  };
  return {
    input: read('weight_ih', [inputs]),
    hidden: read('weight_hh', [hidden]),
    bias: joined(read('bias_ih', []), read('bias_hh', [])),
  };
}

/** The last layer, its weights `[out, in]` turned to `[in, out]`. */
export function linear(checkpoint: Checkpoint, name: string, inputs: number, outputs: number): Layer {
  const values = checkpoint.tensor(`${name}.weight`, [outputs, inputs]);
  return {
    dims: [inputs, outputs],
    weights: values.map((_, i) => values[(i % outputs) * inputs + Math.floor(i / outputs)]!),
    bias: checkpoint.tensor(`${name}.bias`, [outputs]),
  };
}

/** Numbers one after the other. */
export function joined(...parts: readonly Float32Array[]): Float32Array {
  const whole = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
