#!/usr/bin/env python3
"""The mean of several cooled-down checkpoints of one run, weight by weight ("model soups", Wortsman et al. 2022, arXiv 2203.05482).

usage: average.py OUT CHECKPOINT ... The result holds what find_sync.py and export.py read, and cannot be trained on.
"""
import sys
import torch


def mean(items):
    first = items[0]
    if isinstance(first, dict): return {key: mean([item[key] for item in items]) for key in first}
    return sum(items) / len(items) if first.is_floating_point() else first


if __name__ == '__main__':
    if len(sys.argv) < 3: sys.exit(__doc__)
    out, *paths = sys.argv[1:]
    torch.save({'average': mean([torch.load(path, map_location='cpu')['average'] for path in paths])}, out)
