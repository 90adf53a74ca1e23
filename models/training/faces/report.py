"""Figures of a checkpoint: AP on gold, val and its video pictures, recall of large faces, and what AP is made of.

    python3 report.py CHECKPOINT --data FOLDER

One clip holds 112 of the 281 faces of val's video pictures. Beside the figures by the data folder's rules, all the others
therefore let no clip (or picture that stands alone) count for more than CAP faces.
"""

import argparse

import numpy as np
import torch

from dataset import Picture, read_rows
from evaluate import average_precision, detect_all
from model import EdgeFace, count_macs

CAP = 8
SETS = {'val': lambda r: True, 'gold': lambda r: r['gold'], 'video': lambda r: r['source'] == 'video'}


def yaw_of(face):
    """How far the nose lies from the middle of eyes and mouth, in distances of the eyes: 0 frontal, 1 and more a profile."""
    points = face[4:14].reshape(5, 2)
    middle = (points[:2].mean(0) + points[3:].mean(0)) / 2
    across = points[1] - points[0]
    reach = max(np.linalg.norm(across), 0.35 * np.linalg.norm(points[3:].mean(0) - points[:2].mean(0)), 1e-6)
    return abs((points[2] - middle) @ across) / max(np.linalg.norm(across), 1e-6) / reach


def brightness_of(picture, face):
    x1, y1, x2, y2 = (int(v) for v in face[:4])
    part = picture.image[max(0, y1) : y2 + 1, max(0, x1) : x2 + 1]
    return part.mean()


def between(value, low, high):
    return lambda p: np.array([low <= value(p, f) < high for f in p.faces], bool)


def slices():
    """Name and choice of faces. Sizes are those in the stored picture."""
    size = lambda p, f: max(f[2] - f[0], f[3] - f[1])
    yaw = lambda p, f: yaw_of(f) if f[15] else -1
    for name, value, edges in (('px', size, (0, 24, 48, 1e9)), ('turned', yaw, (0, 0.2, 0.5, 1e9)),
                               ('brightness', brightness_of, (0, 60, 120, 256))):
        for low, high in zip(edges, edges[1:]):
            yield f'{name} from {low}' + (f' to {high}' if high < 1e9 else ''), between(value, low, high)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('checkpoint')
    p.add_argument('--data', default='../shared/data/faces')
    o = p.parse_args()
    torch.set_num_threads(1)
    model = EdgeFace()
    model.load_state_dict(torch.load(o.checkpoint, map_location='cpu')['average'])
    print(f'{sum(p.numel() for p in model.parameters()):,} parameters, {count_macs(model) / 1e6:.0f} MMAC at 640x640')
    val = [Picture(o.data, r) for r in read_rows(o.data, lambda r: r['split'] == 'val')]
    for side in (640, 320):
        found = detect_all(model, val, side)
        part = lambda keep: zip(*((p, f) for p, f in zip(val, found) if keep(p)))
        for name, keep in SETS.items():
            pictures, results = part(lambda p: keep(p.row))
            faces = sum(len(p.faces) for p in pictures)
            head, capped = (average_precision(pictures, results, cap=cap)['ap'] for cap in (None, CAP))
            print(f'{name} at {side}: {len(pictures)} pictures, {faces} faces, AP {head:.4f}, capped {capped:.4f}')
            for threshold in (0.2, 0.3, 0.4, 0.45, 0.5, 0.6):
                r = average_precision(pictures, results, threshold, 48)
                print(f'   from {threshold}: P {r["precision"]:.3f} R {r["recall"]:.3f}, faces >= 48 px R {r["large"]:.3f}')
        print(f'val at {side}, capped, by source:')
        for source in sorted({p.row['source'] for p in val}):
            pictures, results = part(lambda p: p.row['source'] == source)
            if n := sum(len(p.faces) for p in pictures):
                ap = average_precision(pictures, results, cap=CAP)['ap']
                print(f'   {source}: {len(pictures)} pictures, {n} faces, AP {ap:.3f}')
        print(f'val at {side}, capped, by face:')
        for name, chosen in slices():
            n = sum(chosen(p).sum() for p in val)
            print(f'   {name}: {n} faces, AP {average_precision(val, found, cap=CAP, chosen=chosen)["ap"]:.3f}')


if __name__ == '__main__':
    main()
