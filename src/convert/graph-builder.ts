import { toFloat16 } from './float16.js';
import type { Layer } from './lr-asd-layers.js';
import { type AttributeValue, type Constant, type Node, type Port, writeOnnx } from './onnx-writer.js';

/** Collects operations and constants; each call appends and gives the name of what came out. */
export interface GraphBuilder {
  /** Appends an operation. */
  add(op: string, inputs: readonly string[], attributes?: Readonly<Record<string, AttributeValue>>): string;
  /** Appends an operation whose result has this name. */
  name(
    output: string,
    op: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, AttributeValue>>,
  ): void;
  /** A constant of the given shape; `data` is row by row. */
  floats(dims: readonly number[], data: ArrayLike<number>): string;
  /** A constant of the given shape; `data` is row by row, 0–255. */
  bytes(dims: readonly number[], data: Uint8Array): string;
  /** A list of whole numbers, such as a shape. */
  ints(...values: readonly number[]): string;
  /** A constant whole number, without a shape. */
  int(value: number): string;
  /** A layer's weights and offsets, the weights as float16 where that was asked for. */
  layer(layer: Layer): readonly [weights: string, bias: string];
  /** The finished file. */
  write(name: string, inputs: readonly Port[], outputs: readonly Port[]): Uint8Array<ArrayBuffer>;
}

/**
 * Starts a graph.
 *
 * @param half - Whether layers' weights are stored as float16; they are widened when the model is loaded, so the
 * arithmetic stays float32.
 */
export function buildGraph(half: boolean): GraphBuilder {
  const constants: Constant[] = [];
  const nodes: Node[] = [];
  const constant = (dims: readonly number[], data: Constant['data']) => {
    const name = `c${constants.length}`;
    constants.push({ name, dims, data });
    return name;
  };
  const builder: GraphBuilder = {
    add(op, inputs, attributes) {
      const output = `v${nodes.length}`;
      builder.name(output, op, inputs, attributes);
      return output;
    },
    name(output, op, inputs, attributes) {
      nodes.push({ op, inputs, outputs: [output], ...(attributes && { attributes }) });
    },
    floats: (dims, data) => constant(dims, Float32Array.from(data)),
    bytes: constant,
    ints: (...values) => constant([values.length], BigInt64Array.from(values, BigInt)),
    int: value => constant([], BigInt64Array.of(BigInt(value))),
    layer({ dims, weights, bias }) {
      const stored = half ? toFloat16(weights) : weights;
      const name = constant(dims, stored);
      return [
        half ? builder.add('Cast', [name], { to: 1 }) : name,
        // A hundredth of the weights: not worth rounding.
        constant([bias.length], bias),
      ];
    },
    write: (name, inputs, outputs) => writeOnnx({ name, inputs, outputs, constants, nodes }),
  };
  return builder;
}
