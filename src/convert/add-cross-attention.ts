import { corrupt } from './corrupt.js';
import {
  joinBytes,
  type MessageField,
  readMessage,
  textOf,
  writeField,
  writeNumber,
} from './onnx-message.js';

// Field numbers of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto (Apache-2.0).
const graphOfModel = 7;
const nodeOfGraph = 1;
const outputOfGraph = 12;
const outputOfNode = 2;
const nameOfNode = 3;
const opOfNode = 4;
const attributeOfNode = 5;
const graphOfAttribute = 6;

/**
 * Makes a merged decoder say what it listens to: for each layer an output `cross_attentions.N`, float32
 * `[batch, heads, tokens, frames]`, the weights with which the tokens attend to the encoder's frames. Merged decoders, as
 * Optimum exports them, hold one `If` with a graph for the first token and one for the others; the weights are there in
 * both already, and only become outputs. No weight changes.
 *
 * @param decoder - An `.onnx` file whose softmaxes over the encoder's frames have `encoder_attn` in their names.
 * @throws ReframeError `model_corrupt` for a file without such a graph.
 */
export function addCrossAttention(decoder: Uint8Array): Uint8Array<ArrayBuffer> {
  const model = readMessage(decoder);
  if (!model.some(({ number }) => number === graphOfModel)) throw corrupt('There is no graph in the file.');
  return joinBytes(
    model.map(field =>
      field.number === graphOfModel ? writeField(graphOfModel, inGraph(field.content)) : field.raw,
    ),
  );
}

function inGraph(bytes: Uint8Array): Uint8Array {
  const graph = readMessage(bytes);
  const branching = graph.filter(field => isNode(field, 'If'));
  if (branching.length !== 1)
    throw corrupt(`A merged decoder has one If; this graph has ${branching.length}.`);
  const [condition] = branching;
  const { node, layers } = inIf(condition!.content);
  return joinBytes([
    ...graph.map(field => (field === condition ? writeField(nodeOfGraph, node) : field.raw)),
    ...layers.map(name => writeField(outputOfGraph, describe(name))),
  ]);
}

/** Both branches give their weights, in the same order, and the node takes them on as outputs of its own. */
function inIf(bytes: Uint8Array): { readonly node: Uint8Array; readonly layers: readonly string[] } {
  const counts = new Set<number>();
  const node = readMessage(bytes).map(field => {
    if (field.number !== attributeOfNode) return field.raw;
    const attribute = readMessage(field.content).map(part => {
      if (part.number !== graphOfAttribute) return part.raw;
      const names = attentionIn(part.content);
      counts.add(names.length);
      const outputs = names.map(name => writeField(outputOfGraph, describe(name)));
      return writeField(graphOfAttribute, joinBytes([part.content, ...outputs]));
    });
    return writeField(attributeOfNode, joinBytes(attribute));
  });
  const [count = 0] = counts;
  if (counts.size !== 1 || count === 0)
    throw corrupt(`The branches have ${[...counts].join(' and ')} softmaxes named encoder_attn.`);
  const layers = Array.from({ length: count }, (_, i) => `cross_attentions.${i}`);
  return { node: joinBytes([...node, ...layers.map(name => writeField(outputOfNode, name))]), layers };
}

/** What the softmaxes over the encoder's frames are called, layer by layer. */
function attentionIn(graph: Uint8Array): string[] {
  return readMessage(graph)
    .filter(field => isNode(field, 'Softmax'))
    .map(({ content }) => readMessage(content))
    .filter(node => textOf(node, nameOfNode).includes('encoder_attn'))
    .map(node => textOf(node, outputOfNode));
}

const isNode = (field: MessageField, op: string): boolean =>
  field.number === nodeOfGraph && textOf(readMessage(field.content), opOfNode) === op;

/** A float32 tensor of a name, its shape left to the graph. */
const describe = (name: string): Uint8Array =>
  joinBytes([writeField(1, name), writeField(2, writeField(1, writeNumber(1, 1)))]);
