"""Draws log.jsonl as curve.png.

    python3 curve.py LOG.jsonl OUT.png
"""

import json
import sys

import matplotlib

matplotlib.use('Agg')
import matplotlib.pyplot as plt


def main(log, out):
    with open(log, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), dpi=80)
    views = [r['views'] / 1e6 for r in rows]
    for name in ('class', 'box', 'points'):
        left.plot(views, [r[name] for r in rows], label=name)
    left.set(yscale='log', xlabel='million views', title='loss')
    for name in ('val_ap_640', 'val_ap_320', 'video_ap_640', 'gold_ap_640'):
        right.plot(views, [r[name] for r in rows], marker='.', label=name.replace('_ap', ''))
    right.set(xlabel='million views', title='AP at IoU 0.5', ylim=(0.5, 1))
    for axes in (left, right):
        axes.legend(fontsize=8)
        axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(out)


if __name__ == '__main__':
    main(*sys.argv[1:3])
