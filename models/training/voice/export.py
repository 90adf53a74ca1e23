#!/usr/bin/env python3
"""Writes the ONNX file. usage: export.py CHECKPOINT FILE.onnx GOLDEN.json

Weights are stored as float16 behind Cast, the maths is float32. Input `rows` [batch, rows, 40], output `embedding` [batch, 96].
GOLDEN.json gets the embedding of a sound that any language can make, and some of its log-mel rows, for a test.
"""

import io
import json
import os
import sys
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import nn

from features import RATE, log_mel
from network import BANDS, as_shipped


class ByRows(nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, rows):
        return self.network(rows.transpose(1, 2))


def halve(model):
    """Weights of more than 16 numbers become float16; a Cast brings them back when the session is opened."""
    graph, kept, casts = model.graph, [], []
    for t in graph.initializer:
        values = numpy_helper.to_array(t)
        if values.dtype.kind != 'f' or values.size <= 16:
            kept.append(t)
            continue
        kept.append(numpy_helper.from_array(values.astype('float16'), t.name + '_h'))
        casts.append(helper.make_node('Cast', [t.name + '_h'], [t.name], to=TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(casts + nodes)
    return model


def golden_sound():
    """A second and a half: a falling buzz of twenty overtones that grows and fades six times a second."""
    t = np.arange(RATE * 3 // 2) / RATE
    phase = 2 * np.pi * (140 * t - 15 * t * t)
    buzz = sum(np.sin(k * phase) / k for k in range(1, 21))
    return (0.1 * buzz * (0.6 + 0.4 * np.sin(2 * np.pi * 6 * t))).astype(np.float32)


def main(checkpoint, path, golden):
    warnings.simplefilter('ignore')
    network = as_shipped(checkpoint)
    buffer = io.BytesIO()
    axes = {'rows': {0: 'batch', 1: 'rows'}, 'embedding': {0: 'batch'}}
    torch.onnx.export(ByRows(network).eval(), (torch.randn(2, 200, BANDS),), buffer, input_names=['rows'], output_names=['embedding'],
                      opset_version=17, dynamic_axes=axes, do_constant_folding=True)
    model = halve(onnx.load_model_from_string(buffer.getvalue()))
    model.producer_name, model.producer_version = 'edge-reframe', ''
    model.graph.ClearField('doc_string')
    for node in model.graph.node:
        node.ClearField('doc_string'), node.ClearField('name')
    onnx.checker.check_model(model)
    onnx.save(model, path)
    print(path, os.path.getsize(path), 'bytes')
    rows = log_mel(torch.from_numpy(golden_sound())[None])
    with torch.no_grad():
        embedding = network(rows)[0]
    numbers = lambda values: [round(v, 5) for v in values.tolist()]
    with open(golden, 'w', encoding='utf-8') as file:
        json.dump({'rows': {at: numbers(rows[0, :, at]) for at in (0, 40, 147)}, 'embedding': numbers(embedding)}, file)
        file.write('\n')


if __name__ == '__main__':
    if len(sys.argv) != 4: sys.exit(__doc__)
    main(*sys.argv[1:])
