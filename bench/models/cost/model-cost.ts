import { openSession, type SessionInput } from '../../../src/inference/session.js';
import type { TensorSpec } from '../../../src/schema/model.js';
import type { EvaluatedModel } from '../evaluated-models.js';
import { type ReadGraph, type ReadNode, readOnnx, withOutputs } from './onnx-graph.js';

/** Sizes that stand for the words in the manifest's shapes. */
export type Sizes = Readonly<Record<string, number>>;

export type ModelCost = {
  /** Trained numbers: all constants that are not whole-number lists such as shapes. */
  readonly parameters: number;
  /** Multiplications with a weight, in one run. */
  readonly macs: number;
};

/** What a run is: one 16:9 picture at the product's default size, one second of one face or of sound. */
export const costSizes: Sizes = { batch: 1, height: 384, width: 640, frames: 25 };

/** ONNX's element type for shapes and indices. */
const int64 = 7;

/**
 * Counts the multiplications of convolutions, matrix products and recurrent layers. The sizes of what flows are not
 * computed but measured: the model runs once on zeros with those results as further outputs.
 */
export async function costOf(model: EvaluatedModel, sizes: Sizes): Promise<ModelCost> {
  const graph = readOnnx(model.bytes);
  const counted = graph.nodes.filter(({ op }) => op in counters);
  const names = counted.flatMap(({ inputs, outputs }) => [inputs[0]!, outputs.find(Boolean)!]);
  const own = new Set(model.entry.outputs.concat(model.entry.inputs).map(({ name }) => name));
  const added = [...new Set(names)].filter(name => !own.has(name) && !graph.constants.has(name));
  const session = await openSession(withOutputs(model.bytes, added), model.id, {
    device: 'wasm',
    threads: 1,
  });
  const feeds = zerosFor(model.entry.inputs, sizes);
  const results = await session.run(feeds);
  await session.close();
  const dimsOf = (name: string) => (results[name] ?? feeds[name] ?? graph.constants.get(name))!.dims;
  const constants = [...graph.constants.values()].filter(({ elementType }) => elementType !== int64);
  return {
    parameters: constants.reduce((sum, { dims }) => sum + product(dims), 0),
    macs: counted.reduce((sum, node) => sum + counters[node.op]!(node, dimsOf, weightDims(graph)), 0),
  };
}

/** Inputs of zeros; words in shapes are looked up, and may be multiplied or divided by a number. */
export function zerosFor(inputs: readonly TensorSpec[], sizes: Sizes): Record<string, SessionInput> {
  return Object.fromEntries(
    inputs.map(({ name, shape, type }): [string, SessionInput] => {
      const dims = shape.map(size => (typeof size === 'number' ? size : sizeOf(size, sizes)));
      if (type === 'int64') return [name, { kind: 'int64', dims, data: new BigInt64Array(product(dims)) }];
      return [name, { kind: 'cpu', dims, data: new Float32Array(product(dims)) }];
    }),
  );
}

/** `4*frames` → four times the size of `frames`. */
function sizeOf(word: string, sizes: Sizes): number {
  return word.split('*').reduce((size, factor) => {
    const value = /^\d+$/.test(factor) ? Number(factor) : sizes[factor];
    if (value === undefined) throw new RangeError(`No size for "${factor}".`);
    return size * value;
  }, 1);
}

type Counter = (
  node: ReadNode,
  dimsOf: (name: string) => readonly number[],
  weights: (name: string) => readonly number[] | undefined,
) => number;

/** A recurrent layer: every step multiplies with all of both weights. */
const recurrent: Counter = ({ inputs }, dimsOf, weights) => {
  const [steps, batch] = dimsOf(inputs[0]!);
  return steps! * batch! * (product(weights(inputs[1]!)!) + product(weights(inputs[2]!)!));
};

const matrix: Counter = ({ inputs, outputs }, dimsOf) =>
  product(dimsOf(outputs[0]!)) * dimsOf(inputs[0]!).at(-1)!;

const counters: Readonly<Record<string, Counter>> = {
  Conv: ({ inputs, outputs }, dimsOf, weights) =>
    product(dimsOf(outputs[0]!)) * product(weights(inputs[1]!)!.slice(1)),
  ConvTranspose: ({ inputs }, dimsOf, weights) =>
    product(dimsOf(inputs[0]!)) * product(weights(inputs[1]!)!.slice(1)),
  MatMul: matrix,
  Gemm: matrix,
  GRU: recurrent,
  LSTM: recurrent,
};

/** Shapes of weights, also of those that are widened or scaled first. */
const weightDims = (graph: ReadGraph) => {
  const makers = new Map(graph.nodes.flatMap(node => node.outputs.map(name => [name, node] as const)));
  return (name: string): readonly number[] | undefined => {
    let at: string | undefined = name;
    while (at !== undefined && !graph.constants.has(at)) at = makers.get(at)?.inputs[0];
    return at === undefined ? undefined : graph.constants.get(at)!.dims;
  };
};

const product = (dims: readonly number[]): number => dims.reduce((whole, size) => whole * size, 1);
