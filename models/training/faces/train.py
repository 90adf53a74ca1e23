"""Trains the face detector. Can be stopped at any time: the same command goes on from the last epoch.

    python3 train.py --data FOLDER --out FOLDER --minutes 90
"""

import argparse
import copy
import json
import os
import time

# Before NumPy and PyTorch: the matrices of Muon are too small for threads, which would only wait for each other.
os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
import torch

from dataset import Batches, Picture, is_training_row, read_rows
from evaluate import average_precision, detect_all
from loss import loss
from model import Conv, EdgeFace
from muon import Muon

# Side, pictures per batch (about 1.6 megapixels each), share of batches.
SIZES = ((320, 16, 0.42), (256, 24, 0.13), (448, 8, 0.2), (640, 4, 0.25))
PEAK_RATE, LAST_RATE, WARM_UP, DECAY = 2e-3, 2e-5, 300, 0.02
EMA = 0.998
MOSAIC, PLAIN_END = 0.65, 0.85  # share of mosaics, and the progress at which they end
CALM_AT_END = 0.7  # share of pictures left as they are, growing over the run: it is short, so it ends on real ones


def options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--data', default='../shared/data/faces')
    p.add_argument('--out', default='out/training/faces')
    p.add_argument('--minutes', type=float, default=0, help='training time; the rate falls over it')
    p.add_argument('--epochs', type=int, default=60, help='length where --minutes is not given')
    p.add_argument('--seed', type=int, default=7)
    p.add_argument('--rate', type=float, default=PEAK_RATE)
    p.add_argument('--start', help='checkpoint whose averaged weights a new run starts from')
    p.add_argument('--all-rows', action='store_true', help='also rows that must not ship; for comparison only')
    p.add_argument('--every', type=int, default=4, help='epochs between evaluations')
    return p.parse_args()


def make_optimisers(model, rate):
    """Muon for hidden convolutions; AdamW for the first one, those that give the outputs, norms and biases."""
    hidden = [m[0].weight for m in model.modules() if isinstance(m, Conv)][1:]
    known = {id(p) for p in hidden}
    rest = [p for p in model.parameters() if id(p) not in known]
    groups = [
        {'params': [p for p in rest if p.ndim > 1], 'weight_decay': DECAY},
        {'params': [p for p in rest if p.ndim == 1], 'weight_decay': 0},
    ]
    return Muon(hidden, rate, DECAY), torch.optim.AdamW(groups, rate)


def main():
    o = options()
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    os.makedirs(o.out, exist_ok=True)
    path = os.path.join(o.out, 'last.pt')
    train = [Picture(o.data, r) for r in read_rows(o.data, lambda r: is_training_row(r, o.all_rows))]
    val = [Picture(o.data, r) for r in read_rows(o.data, lambda r: r['split'] == 'val')]
    print(f'{len(train)} training pictures, {sum(len(p.faces) for p in train)} faces; {len(val)} val', flush=True)

    model = EdgeFace()
    average = copy.deepcopy(model)
    if o.start:
        for m in (model, average):
            m.load_state_dict(torch.load(o.start)['average'])
    optimisers = make_optimisers(model, o.rate)
    state = {'epoch': 0, 'step': 0, 'seconds': 0.0, 'log': []}
    if os.path.exists(path):
        saved = torch.load(path)
        model.load_state_dict(saved['model'])
        average.load_state_dict(saved['average'])
        for optimiser, kept in zip(optimisers, saved['optimisers']):
            optimiser.load_state_dict(kept)
        state = saved['state']
        print(f"going on after epoch {state['epoch']}", flush=True)

    mosaic, calm = torch.tensor(MOSAIC).share_memory_(), torch.tensor(0.0).share_memory_()
    batches = Batches(train, SIZES, o.seed + 1000 * state['epoch'], mosaic, calm)
    loader = iter(torch.utils.data.DataLoader(batches, batch_size=None, num_workers=1, prefetch_factor=4))
    begun = time.time() - state['seconds']
    seen, sums, batches_seen = 0, {}, 0
    while True:
        progress = (time.time() - begun) / (60 * o.minutes) if o.minutes else (state['epoch'] + seen / len(train)) / o.epochs
        if progress >= PLAIN_END:
            mosaic.fill_(0)
        calm.fill_(CALM_AT_END * progress)
        rate = LAST_RATE + (o.rate - LAST_RATE) * (1 + np.cos(np.pi * min(1, progress))) / 2
        for g in (g for optimiser in optimisers for g in optimiser.param_groups):
            g['lr'] = rate * min(1, (state['step'] + 1) / WARM_UP)
        images, targets = next(loader)
        model.train()
        with torch.autocast('cpu', dtype=torch.bfloat16):
            levels = model(images.float() / 255)
        total, parts = loss(levels, targets, *images.shape[2:])
        model.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10)
        for optimiser in optimisers:
            optimiser.step()
        state['step'] += 1
        keep = EMA * (1 - np.exp(-state['step'] / 400))
        with torch.no_grad():
            for a, b in zip(average.state_dict().values(), model.state_dict().values()):
                if a.dtype.is_floating_point:
                    a.lerp_(b, 1 - keep)
                else:
                    a.copy_(b)
        seen += len(images)
        batches_seen += 1
        for k, v in parts.items():
            sums[k] = sums.get(k, 0) + v
        done = progress >= 1
        if seen < len(train) and not done:
            continue

        state['epoch'] += 1
        row = {'epoch': state['epoch'], 'step': state['step'], 'minutes': round((time.time() - begun) / 60, 2), 'rate': round(rate, 6)}
        row |= {k: round(v / batches_seen, 4) for k, v in sums.items()}
        seen, sums, batches_seen = 0, {}, 0
        if done or state['epoch'] % o.every == 0:
            paused = time.time()
            for side in (640, 320):
                row[f'val_ap_{side}'] = round(average_precision(val, detect_all(average, val, side))['ap'], 4)
            begun += time.time() - paused  # the budget is for training alone
        state['log'].append(row)
        state['seconds'] = time.time() - begun
        print(json.dumps(row), flush=True)
        kept = {'model': model.state_dict(), 'average': average.state_dict(), 'state': state}
        torch.save(kept | {'optimisers': [optimiser.state_dict() for optimiser in optimisers]}, path + '.new')
        os.replace(path + '.new', path)
        if done:
            break
    with open(os.path.join(o.out, 'log.json'), 'w', encoding='utf-8') as file:
        json.dump({'options': {k: v for k, v in vars(o).items() if k not in ('data', 'out')}, 'pictures': len(train), 'epochs': state['log']}, file)


if __name__ == '__main__':
    main()
