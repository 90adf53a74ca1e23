"""Figures of a checkpoint: AP on gold, val and its video pictures, recall of large faces, scores by threshold.

    python3 report.py CHECKPOINT --data FOLDER
"""

import argparse

import torch

from dataset import Picture, read_rows
from evaluate import average_precision, detect_all
from model import EdgeFace, count_macs


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('checkpoint')
    p.add_argument('--data', default='../shared/data/faces')
    o = p.parse_args()
    torch.set_num_threads(1)
    model = EdgeFace()
    model.load_state_dict(torch.load(o.checkpoint)['average'])
    print(f'{sum(p.numel() for p in model.parameters()):,} parameters, {count_macs(model) / 1e6:.0f} MMAC at 640x640')
    val = [Picture(o.data, r) for r in read_rows(o.data, lambda r: r['split'] == 'val')]
    sets = {'val': lambda r: True, 'gold': lambda r: r['gold'], 'video': lambda r: r['source'] == 'video'}
    for side in (640, 320):
        found = detect_all(model, val, side)
        for name, keep in sets.items():
            both = [(p, f) for p, f in zip(val, found) if keep(p.row)]
            pictures, results = zip(*both)
            faces = sum(len(p.faces) for p in pictures)
            head = average_precision(pictures, results)
            print(f'{name} at {side}: {len(pictures)} pictures, {faces} faces, AP {head["ap"]:.4f}')
            for threshold in (0.2, 0.3, 0.4, 0.45, 0.5, 0.6):
                r = average_precision(pictures, results, threshold, 48)
                print(f'   from {threshold}: P {r["precision"]:.3f} R {r["recall"]:.3f}, faces >= 48 px R {r["large"]:.3f}')


if __name__ == '__main__':
    main()
