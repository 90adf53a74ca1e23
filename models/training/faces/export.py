"""Writes a checkpoint as ONNX in the layout that the product reads (`images` -> `pred [1, 20, N]`).

    python3 export.py CHECKPOINT OUT.onnx

Weights lie in the file as float16 behind Cast nodes, which onnxruntime folds when it loads the model;
the arithmetic is float32.
"""

import argparse
import os

import numpy as np
import onnx
import torch
import torch.nn as nn
from onnx import TensorProto, helper, numpy_helper

from model import LANDMARKS, POINT_GAIN, SIZE_LIMIT, EdgeFace

OPSET = 13


class Deployed(nn.Module):
    """The network with its outputs decoded to distances in cells, probability and landmarks in cells."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images):
        out = torch.cat([level.flatten(2) for level in self.model(images)], 2)
        logit, offset, size, points = out.split((1, 2, 2, 2 * LANDMARKS), 1)
        half = size.clamp(max=SIZE_LIMIT).exp() / 2
        probability = logit.sigmoid()
        # The layout has a visibility per landmark; this network does not estimate one and repeats the face's.
        seen = probability.expand(LANDMARKS, 1, -1)
        points = torch.cat((points.reshape(LANDMARKS, 2, -1) * POINT_GAIN, seen), 1).reshape(1, 3 * LANDMARKS, -1)
        return torch.cat((half - offset, half + offset, probability, points), 1)


def load(path):
    model = EdgeFace()
    model.load_state_dict(torch.load(path, map_location='cpu')['average'])
    for p in model.parameters():
        if p.ndim > 1:  # what the file will hold, so that both compute the same
            p.data = p.data.half().float()
    return Deployed(model).eval()


def store_half(graph):
    """Moves convolution weights to float16 initialisers, each behind a Cast to float32."""
    casts = []
    for tensor in list(graph.initializer):
        if tensor.data_type != TensorProto.FLOAT or len(tensor.dims) < 4:
            continue
        half = numpy_helper.from_array(numpy_helper.to_array(tensor).astype(np.float16), tensor.name + '.f16')
        casts.append(helper.make_node('Cast', [half.name], [tensor.name], name=f'{tensor.name}.cast', to=TensorProto.FLOAT))
        graph.initializer.remove(tensor)
        graph.initializer.append(half)
    for cast in reversed(casts):
        graph.node.insert(0, cast)


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('checkpoint')
    p.add_argument('out')
    o = p.parse_args()
    torch.set_num_threads(1)
    # The exporter that follows one run is the one that both old and new versions of PyTorch have.
    newer = {'dynamo': False} if 'dynamo' in torch.onnx.export.__code__.co_varnames else {}
    torch.onnx.export(
        load(o.checkpoint), torch.zeros(1, 3, 96, 160), o.out, opset_version=OPSET, input_names=['images'],
        output_names=['pred'], dynamic_axes={'images': {2: 'height', 3: 'width'}, 'pred': {2: 'cells'}}, **newer,
    )
    onnx_model = onnx.load(o.out)
    store_half(onnx_model.graph)
    onnx_model.producer_name, onnx_model.producer_version = 'edge-face', ''
    onnx_model.doc_string = 'Face detector with five landmarks, MIT'
    for node in onnx_model.graph.node:
        node.doc_string = ''
    onnx.checker.check_model(onnx_model)
    onnx.save(onnx_model, o.out)
    print(f'{o.out}: {os.path.getsize(o.out)} bytes, {len(onnx_model.graph.node)} nodes')


if __name__ == '__main__':
    main()
