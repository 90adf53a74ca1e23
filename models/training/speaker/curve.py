#!/usr/bin/env python3
"""Draws the logs of the three stages. usage: curve.py OUT FOLDER. Writes FOLDER/log.json and FOLDER/curve.png."""
import json, os, sys
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt


def main(out, folder):
    logs = {part: [json.loads(line) for line in open(os.path.join(out, f'log-{part}.jsonl'))] for part in ('visual', 'audio', 'backend')}
    with open(os.path.join(folder, 'log.json'), 'w') as file:
        file.write('{\n' + ',\n'.join(f'"{part}": [\n' + ',\n'.join(json.dumps(row) for row in rows) + '\n]' for part, rows in logs.items()) + '\n}\n')
    figure, axes = plt.subplots(1, 3, figsize=(10, 3), dpi=80)
    shown = dict(visual=('near', 'detail', 'agree', 'r2', 'r2_moved'), audio=('near', 'detail', 'r2'), backend=('distil', 'truth', 'matched', 'right', 'afc_25'))
    for axis, (part, keys) in zip(axes, shown.items()):
        for key in keys:
            points = [(row['step'], row[key]) for row in logs[part] if key in row]
            axis.plot(*zip(*points), label=key, marker='.' if key.startswith(('r2', 'afc')) else None, linewidth=1)
        axis.set_title(part)
        axis.set_ylim(0, 2.2 if part != 'audio' else 1)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(os.path.join(folder, 'curve.png'))


if __name__ == '__main__':
    if len(sys.argv) != 3: sys.exit(__doc__)
    main(*sys.argv[1:])
