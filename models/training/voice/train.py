"""Trains the voice embedding. Can be stopped at any time: the same command goes on from the last checkpoint.

    python3 train.py --data FOLDER --out FOLDER --minutes 60    # FOLDER of --data: what prepare.py made
"""

import argparse
import copy
import json
import math
import os
import sys
import time

os.environ.setdefault('OMP_NUM_THREADS', '1')
os.environ.setdefault('OPENBLAS_NUM_THREADS', '1')

import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from evaluate import Trials, equal_error_rate
from muon import Muon
from network import Margin, Voice, pair_loss
from sound import Draws, Pack

SECONDS = 160  # of sound in a batch
LENGTHS_SEC = (0.7, 1.0, 1.4, 1.9, 2.5, 3.3)
PEAK_RATE, LAST_RATE, WARM_UP, DECAY = 3e-3, 3e-5, 50, 0.05
MARGIN, MARGIN_FULL = 0.25, 0.4  # radians; the progress at which the margin has grown to that
EMA = 0.995
MASKED = 6  # bands that are hidden at most, in half of the pieces


def options():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument('--data', default='out/training/voice/data')
    p.add_argument('--out', default='out/training/voice')
    p.add_argument('--minutes', type=float, default=60, help='training time; the rate falls over it')
    p.add_argument('--seed', type=int, default=7)
    p.add_argument('--every', type=int, default=100, help='steps between checkpoints')
    return p.parse_args()


def make_optimisers(network, margin):
    """Muon for hidden convolutions; AdamW for the rest."""
    hidden = [p for name, p in network.named_parameters() if p.ndim > 2 and min(p.shape[:2]) > 1]
    known = {id(p) for p in hidden}
    rest = [p for p in network.parameters() if id(p) not in known]
    groups = [
        {'params': [p for p in rest if p.ndim > 1] + list(margin.parameters()), 'weight_decay': DECAY},
        {'params': [p for p in rest if p.ndim == 1], 'weight_decay': 0},
    ]
    return Muon(hidden, PEAK_RATE, DECAY), torch.optim.AdamW(groups, PEAK_RATE)


def hide_bands(rng, rows):
    """A few neighbouring bands of half of the pieces [batch, 40, rows] become their mean."""
    for piece in (rows[i] for i in np.flatnonzero(rng.random(len(rows)) < 0.5)):
        at, count = rng.integers(0, rows.shape[1] - MASKED), rng.integers(1, MASKED + 1)
        piece[at:at + count] = piece[at:at + count].mean(1, keepdim=True)


def step_of(network, margin, draws, progress):
    """One step's losses."""
    # Few lengths: each new shape costs PyTorch a compilation.
    seconds = draws.rng.choice(LENGTHS_SEC)
    rows, label = draws.batch(int(min(64, SECONDS / seconds / 2)), int(seconds * 100))
    hide_bands(draws.rng, rows)
    with torch.autocast('cpu', dtype=torch.bfloat16):
        x = network(rows)
    x = x.float()
    return margin(x, label, MARGIN * min(1, progress / MARGIN_FULL)), pair_loss(x.unflatten(0, (-1, 2)))


def main():
    o = options()
    torch.set_num_threads(1)
    torch.manual_seed(o.seed)
    os.makedirs(o.out, exist_ok=True)
    path = os.path.join(o.out, 'last.pt')
    draws, dev = Draws(o.data, o.seed), Trials(Pack(o.data), 'dev', 2.0)
    network, margin = Voice(), Margin(len(draws.classes))
    average = copy.deepcopy(network).eval()
    print(f'{len(draws.speakers)} speakers, {len(draws.classes)} voices, {sum(p.numel() for p in network.parameters())} parameters', flush=True)
    optimisers = make_optimisers(network, margin)
    state = {'step': 0, 'seconds': 0.0, 'log': []}
    if os.path.exists(path):
        saved = torch.load(path)
        for part, kept in zip((network, average, margin, *optimisers), saved['parts']):
            part.load_state_dict(kept)
        state = saved['state']
        draws.rng = np.random.default_rng([o.seed, state['step']])
        print(f"going on after step {state['step']}", flush=True)

    begun, sums = time.time() - state['seconds'], []
    while True:
        progress = (time.time() - begun) / (60 * o.minutes)
        rate = LAST_RATE + (PEAK_RATE - LAST_RATE) * (1 + math.cos(math.pi * min(1, progress))) / 2
        for group in (g for optimiser in optimisers for g in optimiser.param_groups):
            group['lr'] = rate * min(1, (state['step'] + 1) / WARM_UP)
        network.train()
        losses = step_of(network, margin, draws, progress)
        for part in (network, margin):
            part.zero_grad(set_to_none=True)
        sum(losses).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        for optimiser in optimisers:
            optimiser.step()
        state['step'] += 1
        sums.append([loss.item() for loss in losses])
        keep = EMA * (1 - math.exp(-state['step'] / 100))
        with torch.no_grad():
            for a, b in zip(average.state_dict().values(), network.state_dict().values()):
                if a.dtype.is_floating_point:
                    a.lerp_(b, 1 - keep)
                else:
                    a.copy_(b)
        if state['step'] % o.every and progress < 1:
            continue

        margin_loss, pair = np.mean(sums, 0).tolist()
        row = {'step': state['step'], 'minutes': round((time.time() - begun) / 60, 2), 'rate': round(rate, 6), 'margin': round(margin_loss, 4),
               'pair': round(pair, 4), 'dev_eer_2s': round(float(equal_error_rate(*dev.scores(average))), 4)}
        state['log'].append(row)
        state['seconds'], sums = time.time() - begun, []
        print(json.dumps(row), flush=True)
        parts = [part.state_dict() for part in (network, average, margin, *optimisers)]
        torch.save({'parts': parts, 'average': average.state_dict(), 'state': state}, path + '.new')
        os.replace(path + '.new', path)
        if progress >= 1:
            break
    with open(os.path.join(o.out, 'log.json'), 'w', encoding='utf-8') as file:
        json.dump({'minutes': o.minutes, 'seed': o.seed, 'speakers': len(draws.speakers), 'voices': len(draws.classes), 'log': state['log']}, file)


if __name__ == '__main__':
    main()
