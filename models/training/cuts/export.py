"""
Writes the trained network as ONNX: windows of 100 frames, weights as float16 behind Cast, arithmetic in float32.

    python3 export.py --out ../../../out/training/cuts --onnx ../../edge-cuts.onnx
"""

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from network import HEIGHT, WIDTH, CutNet

WINDOW = 100
# Smaller constants stay as they are: most are shapes and single numbers.
LEAST_SIZE = 64


def to_half(model):
    """Stores large weights as float16 and casts them when the session is made."""
    casts = []
    for weight in model.graph.initializer:
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < LEAST_SIZE:
            continue
        name = weight.name
        half = numpy_helper.from_array(numpy_helper.to_array(weight).astype(np.float16), f"{name}_half")
        weight.CopyFrom(half)
        casts.append(helper.make_node("Cast", [half.name], [name], to=TensorProto.FLOAT))
    for cast in reversed(casts):
        model.graph.node.insert(0, cast)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default="../../../out/training/cuts", help="folder with the checkpoint")
    parser.add_argument("--onnx", default="../../edge-cuts.onnx")
    args = parser.parse_args()
    network = CutNet()
    network.load_state_dict(torch.load(Path(args.out) / "checkpoint.pt")["average"])
    network.eval()
    example = torch.rand(1, WINDOW, HEIGHT, WIDTH, 3) * 255
    torch.onnx.export(
        network, example, args.onnx, opset_version=13, input_names=["frames"], output_names=["cut", "transition"]
    )
    model = onnx.load(args.onnx)
    to_half(model)
    onnx.checker.check_model(model)
    onnx.save(model, args.onnx)
    print(sorted({node.op_type for node in model.graph.node}), len(model.graph.node), "nodes")
    print(Path(args.onnx).stat().st_size, "bytes", sum(p.numel() for p in network.parameters()), "parameters")


if __name__ == "__main__":
    main()
