"""Draws log.json as curve.png.

    python3 curve.py LOG.json OUT.png
"""

import json
import sys

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt


def main(log, out):
    with open(log, encoding='utf-8') as file:
        epochs = json.load(file)['epochs']
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), dpi=80)
    for name in ('class', 'box', 'bins', 'points'):
        left.plot([e['epoch'] for e in epochs], [e[name] for e in epochs], label=name)
    left.set(yscale='log', xlabel='epoch', title='loss')
    for side in (640, 320):
        rows = [e for e in epochs if f'val_ap_{side}' in e]
        right.plot([e['epoch'] for e in rows], [e[f'val_ap_{side}'] for e in rows], marker='.', label=f'long side {side}')
    right.set(xlabel='epoch', title='AP at IoU 0.5 on val', ylim=(0.3, 1))
    for axes in (left, right):
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out)


if __name__ == '__main__':
    main(*sys.argv[1:3])
