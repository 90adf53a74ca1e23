import type { Checkpoint } from './checkpoint.js';
import { buildGraph, type GraphBuilder } from './graph-builder.js';
import { foldedConv, gruDirection, joined, type Layer, linear } from './lr-asd-layers.js';

// The networks of LR-ASD, "Active speaker detection: lightweight and robust" (https://github.com/Junhua-Liao/LR-ASD,
// MIT), written as graphs from the shapes of its weights and its published description.

/** Side of the face pictures in pixels. */
const side = 112;
/** Coefficients in a row of sound. */
const coefficients = 13;
const embedding = 128;
const hidden = 64;
/** Channels in, between the two halves, and out, of the three blocks of either encoder. */
const blocks = [
  { index: 1, input: 1, middle: 16, output: 32 },
  { index: 2, input: 32, middle: 32, output: 64 },
  { index: 3, input: 64, middle: 64, output: embedding },
] as const;
type Block = (typeof blocks)[number];
/** Mean and deviation of the grey values (0–1) that the authors trained with. */
const grey = { mean: 0.4161, deviation: 0.1688 } as const;

/** `video` f32[B,T,112,112] grey 0–255 → `visual` [B,T,128]. */
export function visualGraph(checkpoint: Checkpoint, half: boolean): Uint8Array<ArrayBuffer> {
  const graph = buildGraph(half);
  const batch = graph.add('Slice', [graph.add('Shape', ['video']), graph.ints(0), graph.ints(1)]);
  const scaled = graph.add('Div', ['video', graph.floats([], [255])]);
  const centred = graph.add('Sub', [scaled, graph.floats([], [grey.mean])]);
  const even = graph.add('Div', [centred, graph.floats([], [grey.deviation])]);
  let value = graph.add('Reshape', [even, graph.ints(-1, 1, side, side)]);
  // The first convolution halves the picture, a pool after each block but the last does again.
  let size: number = side / 2;
  for (const block of blocks) {
    if (block.index > 1) {
      value = graph.add('MaxPool', [value], { kernel_shape: [3, 3], strides: [2, 2], pads: [1, 1, 1, 1] });
      size /= 2;
    }
    value = lookOverTime(
      graph,
      lookOverSpace(graph, value, checkpoint, block),
      checkpoint,
      block,
      size,
      batch,
    );
  }
  const strongest = graph.add('ReduceMax', [value], { axes: [2, 3], keepdims: 0 });
  const shape = graph.add('Concat', [batch, graph.ints(-1, embedding)], { axis: 0 });
  graph.name('visual', 'Reshape', [strongest, shape]);
  return graph.write(
    'lr-asd-visual',
    [{ name: 'video', shape: ['batch', 'frames', side, side] }],
    [{ name: 'visual', shape: ['batch', 'frames', embedding] }],
  );
}

/** Two convolutions within each picture. */
function lookOverSpace(graph: GraphBuilder, from: string, checkpoint: Checkpoint, block: Block): string {
  const { index, input, middle, output } = block;
  const at = (part: string) => `model.visualEncoder.block${index}.s_${part}`;
  const conv = (step: 1 | 2, to: number, before: number, width: number) =>
    foldedConv(
      checkpoint,
      at(`${step}`),
      at(`norm_${step}`),
      [to, before, 1, width, width],
      [to, before, width, width],
    );
  const first = convRelu(graph, from, conv(1, middle, input, 5), index === 1 ? 2 : 1);
  return convRelu(graph, first, conv(2, output, middle, 3));
}

/** Two convolutions over time, each pixel on its own: pixels lie in the last axis meanwhile. */
function lookOverTime(
  graph: GraphBuilder,
  from: string,
  checkpoint: Checkpoint,
  { index, output }: Block,
  size: number,
  batch: string,
): string {
  const at = (part: string) => `model.visualEncoder.block${index}.t_${part}`;
  const conv = (step: 1 | 2, length: number) =>
    foldedConv(
      checkpoint,
      at(`${step}`),
      at(`norm_${step}`),
      [output, output, length, 1, 1],
      [output, output, length, 1],
    );
  const shape = graph.add('Concat', [batch, graph.ints(-1, output, size * size)], { axis: 0 });
  const perFrame = graph.add('Reshape', [from, shape]);
  const alongTime = graph.add('Transpose', [perFrame], { perm: [0, 2, 1, 3] });
  const seen = convRelu(graph, convRelu(graph, alongTime, conv(1, 5)), conv(2, 3));
  const back = graph.add('Transpose', [seen], { perm: [0, 2, 1, 3] });
  return graph.add('Reshape', [back, graph.ints(-1, output, size, size)]);
}

/** `audio` f32[B,4T,13] → `audio_embed` [B,T,128]. */
export function audioGraph(checkpoint: Checkpoint, half: boolean): Uint8Array<ArrayBuffer> {
  const graph = buildGraph(half);
  let value = graph.add('Unsqueeze', ['audio', graph.ints(1)]);
  value = graph.add('Transpose', [value], { perm: [0, 1, 3, 2] });
  for (const { index, input, middle, output } of blocks) {
    // Two pools halve the rows twice: four rows of sound for one picture.
    if (index > 1)
      value = graph.add('MaxPool', [value], { kernel_shape: [1, 3], strides: [1, 2], pads: [0, 1, 0, 1] });
    const conv = (part: string, dims: readonly number[]) => {
      const [kind, step] = part.split('_');
      const at = `model.audioEncoder.block${index}.`;
      return foldedConv(checkpoint, `${at}${part}`, `${at}${kind}_norm_${step}`, dims);
    };
    // Over the coefficients, then over time.
    value = convRelu(graph, value, conv('m_1', [middle, input, 5, 1]));
    value = convRelu(graph, value, conv('m_2', [output, middle, 3, 1]));
    value = convRelu(graph, value, conv('t_1', [output, output, 1, 5]));
    value = convRelu(graph, value, conv('t_2', [output, output, 1, 3]));
  }
  const mean = graph.add('ReduceMean', [value], { axes: [2], keepdims: 0 });
  graph.name('audio_embed', 'Transpose', [mean], { perm: [0, 2, 1] });
  return graph.write(
    'lr-asd-audio',
    [{ name: 'audio', shape: ['batch', 'rows', coefficients] }],
    [{ name: 'audio_embed', shape: ['batch', 'frames', embedding] }],
  );
}

/** `audio_embed`, `visual` [B,T,128] → `score` [B,T] (logit of speaking), `logits` [B,T,2]. Weights stay float32. */
export function backendGraph(checkpoint: Checkpoint): Uint8Array<ArrayBuffer> {
  const graph = buildGraph(false);
  const both = graph.add('Concat', ['audio_embed', 'visual'], { axis: 2 });
  const fused = attend(graph, both, attention(checkpoint, 'model.fusion', 2 * embedding));
  const inTime = graph.add('Transpose', [fused], { perm: [2, 0, 1] });
  const [forward, backward] = ['forward', 'backward'].map(direction =>
    gruDirection(checkpoint, `model.detector.gru_${direction}`, 2 * embedding, hidden),
  );
  const pair = (part: 'input' | 'hidden' | 'bias', columns: readonly number[]) =>
    graph.floats([2, ...columns], joined(forward![part], backward![part]));
  const remembered = graph.add(
    'GRU',
    [
      inTime,
      pair('input', [3 * hidden, 2 * embedding]),
      pair('hidden', [3 * hidden, hidden]),
      pair('bias', [6 * hidden]),
    ],
    // PyTorch's GRU resets after the hidden weights.
    { hidden_size: hidden, direction: 'bidirectional', linear_before_reset: 1 },
  );
  const perFrame = graph.add('Transpose', [remembered], { perm: [2, 0, 1, 3] });
  const heard = graph.add('Reshape', [perFrame, graph.ints(0, 0, 2 * hidden)]);
  const judged = attend(graph, heard, attention(checkpoint, 'model.detector.attention', 2 * hidden));
  const [weights, bias] = graph.layer(linear(checkpoint, 'lossAV.FC', 2 * hidden, 2));
  const product = graph.add('MatMul', [graph.add('Transpose', [judged], { perm: [0, 2, 1] }), weights]);
  graph.name('logits', 'Add', [product, bias]);
  graph.name('score', 'Gather', ['logits', graph.int(1)], { axis: 2 });
  return graph.write(
    'lr-asd-backend',
    ['audio_embed', 'visual'].map(name => ({ name, shape: ['batch', 'frames', embedding] })),
    [
      { name: 'score', shape: ['batch', 'frames'] },
      { name: 'logits', shape: ['batch', 'frames', 2] },
    ],
  );
}

const attention = (checkpoint: Checkpoint, name: string, channels: number): Layer =>
  foldedConv(checkpoint, `${name}.attention`, `${name}.bn`, [channels, channels, 1]);

/** Weighs the channels of `[B, T, C]`; gives `[B, C, T]`. */
function attend(graph: GraphBuilder, from: string, layer: Layer): string {
  const channelsFirst = graph.add('Transpose', [from], { perm: [0, 2, 1] });
  const gate = graph.add('Sigmoid', [graph.add('Conv', [channelsFirst, ...graph.layer(layer)])]);
  return graph.add('Mul', [channelsFirst, gate]);
}

/** A convolution that keeps the size, but for the stride, and then a ReLU. */
function convRelu(graph: GraphBuilder, from: string, layer: Layer, stride = 1): string {
  const kernel = layer.dims.slice(2);
  const around = kernel.map(width => (width - 1) / 2);
  const attributes = {
    kernel_shape: kernel,
    pads: [...around, ...around],
    strides: kernel.map(() => stride),
  };
  return graph.add('Relu', [graph.add('Conv', [from, ...graph.layer(layer)], attributes)]);
}
