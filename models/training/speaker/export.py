#!/usr/bin/env python3
"""Writes the three ONNX files. usage: export.py CHECKPOINT SYNC MODELS [SCALE SHIFT]

CHECKPOINT is of train.py, SYNC of find_sync.py; MODELS gets edge-speaker-{visual,audio,backend}.onnx. Batch norms are folded,
weights are stored as float16 behind Cast, the maths is float32. Embeddings are turned so that their first 8 numbers are those that
lips and sound are compared by; the back end turns them back. Scores become SCALE * score + SHIFT.
"""
import io, os, sys, warnings
import numpy as np, onnx, torch
from onnx import TensorProto, helper, numpy_helper
from networks import SIZE, load_networks


def halve(model):
    """Weights of more than 16 numbers become float16; a Cast brings them back when the session is opened."""
    graph, kept, casts = model.graph, [], []
    for t in graph.initializer:
        values = numpy_helper.to_array(t)
        if values.dtype != np.float32 or values.size <= 16 or np.abs(values).max() > 6e4:
            kept.append(t)
            continue
        kept.append(numpy_helper.from_array(values.astype(np.float16), t.name + '_h'))
        casts.append(helper.make_node('Cast', [t.name + '_h'], [t.name], to=TensorProto.FLOAT))
    nodes = list(graph.node)
    del graph.initializer[:], graph.node[:], graph.value_info[:]
    graph.initializer.extend(kept)
    graph.node.extend(casts + nodes)
    return model


def write(net, inputs, names, output, path, dims):
    warnings.simplefilter('ignore')
    buffer = io.BytesIO()
    frames = {name: {0: 'batch', 1: dim} for name, dim in dims.items()}
    torch.onnx.export(net.eval(), inputs, buffer, input_names=names, output_names=[output], opset_version=17, dynamic_axes=frames, do_constant_folding=True)
    model = halve(onnx.load_model_from_string(buffer.getvalue()))
    model.producer_name, model.producer_version = 'edge-reframe', ''
    model.graph.ClearField('doc_string')
    for node in model.graph.node: node.ClearField('doc_string'), node.ClearField('name')
    onnx.checker.check_model(model)
    onnx.save(model, path)
    print(path, os.path.getsize(path), 'bytes')


def turn(sync):
    """A square matrix whose first 8 rows are `sync` [128, 8], the others at right angles to them and each other."""
    size = sync.shape[0]
    _, _, axes = np.linalg.svd(sync.T, full_matrices=True)
    return np.concatenate([sync.T, axes[sync.shape[1]:]]).astype(np.float64).reshape(size, size)


def turned(layer, matrix):
    """The layer's output, multiplied by the matrix."""
    weight = layer.weight[:, :, 0].double().numpy()
    layer.weight.copy_(torch.from_numpy(matrix @ weight)[:, :, None])
    layer.bias.copy_(torch.from_numpy(matrix @ layer.bias.double().numpy()))


def turned_back(weight, matrix):
    """A layer's weight [outs, 128] for embeddings that were multiplied by the matrix."""
    weight.copy_(torch.from_numpy(weight.double().numpy() @ np.linalg.inv(matrix)))


def main(checkpoint, sync, models, scale=1, shift=0):
    visual, audio, backend = load_networks(checkpoint).values()
    sync = np.load(sync)
    with torch.no_grad():
        faces, sound = turn(sync['faces']), turn(sync['sound'])
        turned(visual.out, faces)
        turned(audio.out, sound)
        enter = backend.enter.weight[:, :, 0]
        for weight, matrix in ((backend.face.weight, faces), (backend.sound.weight, sound), (enter[:, :SIZE], sound), (enter[:, SIZE:2 * SIZE], faces)):
            turned_back(weight, matrix)
        backend.out.weight *= float(scale)
        backend.out.bias.copy_(backend.out.bias * float(scale) + float(shift))
    name = lambda part: os.path.join(models, f'edge-speaker-{part}.onnx')
    write(visual, (torch.rand(1, 20, 112, 112) * 255,), ['video'], 'visual', name('visual'), dict(video='frames', visual='frames'))
    write(audio, (torch.randn(1, 80, 13),), ['audio'], 'audio_embed', name('audio'), dict(audio='rows', audio_embed='frames'))
    pair = (torch.randn(1, 20, 128), torch.randn(1, 20, 128))
    write(backend, pair, ['audio_embed', 'visual'], 'score', name('backend'), dict(audio_embed='frames', visual='frames', score='frames'))


if __name__ == '__main__':
    if len(sys.argv) not in (4, 6): sys.exit(__doc__)
    main(*sys.argv[1:])
