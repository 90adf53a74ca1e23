"""Writes a checkpoint as ONNX in the layout that the product reads (`images` -> `pred [1, 20, N]`).

    python3 export.py CHECKPOINT OUT.onnx

Weights lie in the file as float16 behind Cast nodes, which onnxruntime folds when it loads the model;
the arithmetic is float32.
"""

import argparse

import numpy as np
import onnx
import torch
import torch.nn as nn
from onnx import TensorProto, helper, numpy_helper

from model import BINS, LANDMARKS, Conv, EdgeFace

OPSET = 13


def fold(model):
    """Batch normalisation into the convolution before it, in place."""
    for module in model.modules():
        if isinstance(module, Conv) and isinstance(module[1], nn.BatchNorm2d):
            conv, norm = module[0], module[1]
            gain = norm.weight / torch.sqrt(norm.running_var + norm.eps)
            folded = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding)
            folded.weight.data = conv.weight.data * gain[:, None, None, None].data
            folded.bias.data = (norm.bias - norm.running_mean * gain).data
            module[0], module[1] = folded, nn.Identity()
    return model


class Deployed(nn.Module):
    """The network with its outputs decoded to distances in cells, probability and landmarks in cells."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.register_buffer('bins', torch.arange(BINS, dtype=torch.float32)[None])
        for head in model.heads:
            # Box and landmarks read the same tower: one convolution instead of two. A landmark is twice its channel.
            both = nn.Conv2d(head.box.in_channels, 4 * BINS + 2 * LANDMARKS, 1)
            both.weight.data = torch.cat((head.box.weight.data, head.points.weight.data * 2))
            both.bias.data = torch.cat((head.box.bias.data, head.points.bias.data * 2))
            head.both = both

    def forward(self, images):
        model = self.model
        features = model.features(images)
        geometry, score = [], []
        for head, x in zip(model.heads, features):
            x = head.stem(x)
            geometry.append(head.both(head.geometry(x)).reshape(1, 4 * BINS + 2 * LANDMARKS, -1))
            score.append(head.score(head.classify(x)).reshape(1, 1, -1))
        geometry = torch.cat(geometry, 2)
        probability = torch.cat(score, 2).sigmoid()
        box, points = geometry.split((4 * BINS, 2 * LANDMARKS), 1)
        distance = torch.matmul(self.bins, box.reshape(4, BINS, -1).softmax(1)).reshape(1, 4, -1)
        # The layout has a visibility per landmark; this network does not estimate one and repeats the face's.
        seen = torch.cat([probability] * LANDMARKS, 0)
        points = torch.cat((points.reshape(LANDMARKS, 2, -1), seen), 1).reshape(1, 3 * LANDMARKS, -1)
        return torch.cat((distance, probability, points), 1)


def load(path):
    model = EdgeFace().eval()
    model.load_state_dict(torch.load(path, map_location='cpu')['average'])
    deployed = Deployed(fold(model)).eval()
    for p in deployed.parameters():
        if p.ndim > 1:  # what the file will hold, so that both compute the same
            p.data = p.data.half().float()
    return deployed


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
    model = load(o.checkpoint)
    torch.onnx.export(
        model, torch.zeros(1, 3, 96, 160), o.out, opset_version=OPSET, input_names=['images'], output_names=['pred'],
        dynamic_axes={'images': {2: 'height', 3: 'width'}, 'pred': {2: 'cells'}},
    )
    onnx_model = onnx.load(o.out)
    store_half(onnx_model.graph)
    onnx_model.producer_name, onnx_model.producer_version = 'edge-face', ''
    onnx_model.doc_string = 'Face detector with five landmarks, MIT'
    for node in onnx_model.graph.node:
        node.doc_string = ''
    onnx.checker.check_model(onnx_model)
    onnx.save(onnx_model, o.out)
    print(f'{o.out}: {len(open(o.out, "rb").read())} bytes, {len(onnx_model.graph.node)} nodes')


if __name__ == '__main__':
    main()
