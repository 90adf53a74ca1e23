#!/usr/bin/env python3
"""Draws the log of train.py. usage: curve.py OUT FOLDER. Writes FOLDER/log.json and FOLDER/curve.png."""
import json, os, sys
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt

SHOWN = {
    'losses': ('near', 'detail', 'heard', 'distil', 'truth', 'match', 'sync'),
    'validation, all': ('right', 'afc_25', 'afc_50', 'quiet_25', 'foreign_25'),
    'validation, no anchors': ('afc_25_others', 'afc_50_others', 'quiet_25_others', 'foreign_25_others'),
}


def main(out, folder):
    rows = [json.loads(line) for line in open(os.path.join(out, 'log.jsonl'))]
    with open(os.path.join(folder, 'log.json'), 'w') as file:
        file.write('[\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]\n')
    figure, axes = plt.subplots(1, 3, figsize=(11, 3), dpi=80)
    for axis, (title, keys) in zip(axes, SHOWN.items()):
        for key in keys:
            points = [(row['step'], row[key]) for row in rows if key in row]
            if points: axis.plot(*zip(*points), label=key, linewidth=1)
        axis.set_title(title)
        axis.set_ylim(*((0, 2.2) if title == 'losses' else (.5, 1)))
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(os.path.join(folder, 'curve.png'))


if __name__ == '__main__':
    if len(sys.argv) != 3: sys.exit(__doc__)
    main(*sys.argv[1:])
