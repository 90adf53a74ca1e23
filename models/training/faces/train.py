"""Trains the face detector at a constant rate until it is stopped; the same command goes on from the last checkpoint.

    python3 train.py --data FOLDER --out FOLDER                          # as long as there is time
    python3 train.py --data FOLDER --out FOLDER --cooldown-steps 15000   # from there to the weights that ship

A checkpoint is written every five minutes, whole or not at all, so the run may be killed at any moment. The cool-down
works on a copy (`cool.pt`), likewise resumable; the long run (`last.pt`) can go on after it.
"""

import argparse
import contextlib
import copy
import json
import os
import sys
import time

# Before NumPy and PyTorch start: one thread, and memory that is kept in large pages instead of given back after each step
# (8 % of a step), which the allocator reads only when a process begins.
ENVIRONMENT = {
    'OMP_NUM_THREADS': '1',
    'OPENBLAS_NUM_THREADS': '1',
    'GLIBC_TUNABLES': 'glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=4000000000:'
    'glibc.malloc.trim_threshold=16000000000:glibc.malloc.top_pad=67108864',
}
if __name__ == '__main__' and not ENVIRONMENT.items() <= os.environ.items():
    os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | ENVIRONMENT)

import cv2
import numpy as np
import torch

from dataset import Batches, Picture, is_training_row, read_rows
from degrade import degrade
from evaluate import average_precision, detect_all
from loss import loss
from mine import mine
from model import Conv, EdgeFace, cells, flatten
from muon import Muon

# Side, pictures per batch (about 1.6 megapixels each), share of views.
SIZES = ((256, 24, 0.3), (320, 16, 0.44), (448, 8, 0.16), (640, 4, 0.1))
RATE, WARM_UP, DECAY, CLIP = 2e-3, 1000, 0.02, 10
EMA, EMA_START = 0.9995, 1000
MOSAIC, CALM = 0.5, 0.12  # shares of views put together from four, and of views left as they are
COOL_MOSAIC, COOL_CALM, COOL_EMA = 0.25, 0.4, 0.998  # the cool-down ends on real pictures
CHECKPOINT_SECONDS = 300


def options():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--data', default='../shared/data/faces')
    p.add_argument('--out', default='out/training/faces')
    p.add_argument('--cooldown-steps', type=int, default=0, help='let the rate fall to nothing over so many steps')
    p.add_argument('--steps', type=int, default=0, help='stop there; 0: never')
    p.add_argument('--every', type=float, default=25, help='minutes of processor time between evaluations')
    p.add_argument('--seed', type=int, default=7)
    p.add_argument('--rate', type=float, default=RATE)
    p.add_argument('--start', help='checkpoint whose averaged weights a new run starts from')
    return p.parse_args()


def make_optimisers(model, rate):
    """Muon for hidden convolutions; AdamW for the first one, those that give the outputs, and biases."""
    hidden = [m.conv.weight for m in model.modules() if isinstance(m, Conv)][1:]
    known = {id(p) for p in hidden}
    rest = [p for p in model.parameters() if id(p) not in known]
    groups = [
        {'params': [p for p in rest if p.ndim > 1], 'weight_decay': DECAY},
        {'params': [p for p in rest if p.ndim == 1], 'weight_decay': 0},
    ]
    return Muon(hidden, rate, DECAY), torch.optim.AdamW(groups, rate)


class Trainer:
    """The model, its average, the optimisers and the position of the run; one step at a time."""

    def __init__(self, o, train):
        self.o, self.train = o, train
        self.model = EdgeFace().to(memory_format=torch.channels_last)
        if o.start:
            self.model.load_state_dict(torch.load(o.start, map_location='cpu')['average'])
        self.average = copy.deepcopy(self.model)
        self.optimisers = make_optimisers(self.model, o.rate)
        # `views` and `seconds` (of the processor) are of training alone; `cool_from`: the step at which a cool-down began.
        self.state = {'step': 0, 'views': 0, 'seconds': 0.0, 'evaluated': 0.0, 'cool_from': None}
        self.precision, self.grids = torch.float32, {}
        cooling = o.cooldown_steps > 0
        self.path = os.path.join(o.out, 'cool.pt' if cooling else 'last.pt')
        self.resume(os.path.join(o.out, 'last.pt'))
        if cooling and self.state['cool_from'] is None:
            self.state['cool_from'] = self.state['step']
        self.batches = Batches(train, SIZES, o.seed, COOL_MOSAIC if cooling else MOSAIC, COOL_CALM if cooling else CALM)

    def resume(self, other):
        path = self.path if os.path.exists(self.path) else other
        if not os.path.exists(path):
            return
        saved = torch.load(path, map_location='cpu')
        self.model.load_state_dict(saved['model'])
        self.average.load_state_dict(saved['average'])
        for optimiser, kept in zip(self.optimisers, saved['optimisers']):
            optimiser.load_state_dict(kept)
        self.state = saved['state']
        for p in self.train:
            p.hardness, weights = saved['hardness'].get(p.row['file'], (1.0, None))
            if weights is not None and len(weights) == len(p.faces):
                p.face_weight = np.array(weights)
        print(f"going on after step {self.state['step']}", flush=True)

    def save(self):
        kept = {
            'model': self.model.state_dict(), 'average': self.average.state_dict(), 'state': self.state,
            'optimisers': [optimiser.state_dict() for optimiser in self.optimisers],
            'hardness': {p.row['file']: (p.hardness, p.face_weight.tolist()) for p in self.train},
        }
        with open(self.path + '.new', 'wb') as file:
            torch.save(kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.path + '.new', self.path)

    def autocast(self):
        half = self.precision == torch.bfloat16
        return torch.autocast('cpu', dtype=torch.bfloat16) if half else contextlib.nullcontext()

    def forward(self, images):
        x = (images.float() / 255).permute(0, 3, 1, 2)  # NHWC in memory, as the convolutions want it
        with self.autocast():
            levels = self.model(x)
        return flatten(levels)

    def choose_precision(self):
        """bfloat16 where it is the faster one (processors with AMX or AVX512-BF16), else float32: by measuring."""
        images, taken = torch.zeros(8, 320, 320, 3, dtype=torch.uint8), {}
        for self.precision in (torch.bfloat16, torch.float32) * 2:
            self.forward(images).mean().backward()
            begun = time.process_time()
            for _ in range(3):
                self.forward(images).mean().backward()
            taken[self.precision] = min(time.process_time() - begun, taken.get(self.precision, 1e9))
        self.precision = min(taken, key=taken.get)
        print(', '.join(f'{k}: {v / 24 * 1000:.1f} ms a view' for k, v in taken.items()), flush=True)

    def rate(self):
        o, step = self.o, self.state['step']
        if o.cooldown_steps:
            return o.rate * max(0.0, 1 - (step - self.state['cool_from']) / o.cooldown_steps)
        return o.rate * min(1, (step + 1) / WARM_UP)

    def done(self):
        o, step = self.o, self.state['step']
        return bool(o.cooldown_steps and step >= self.state['cool_from'] + o.cooldown_steps or o.steps and step >= o.steps)

    def step(self):
        images, targets = self.batches[self.state['step']]
        side = images.shape[1]
        if side not in self.grids:
            self.grids[side] = cells(side, side)
        total, parts = loss(self.forward(images), targets, *self.grids[side])
        self.model.zero_grad(set_to_none=True)
        total.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        rate = self.rate()
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group['lr'] = rate
            optimiser.step()
        self.state['step'] += 1
        self.state['views'] += len(images)
        keep = (COOL_EMA if self.o.cooldown_steps else EMA) * (1 - np.exp(-self.state['step'] / EMA_START))
        with torch.no_grad():
            averages = list(self.average.parameters())
            torch._foreach_mul_(averages, keep)
            torch._foreach_add_(averages, list(self.model.parameters()), alpha=1 - keep)
        return parts


def evaluate(average, val):
    """AP on val, its video pictures and gold at 640 and 320."""
    row, sets = {}, {'val': lambda r: True, 'video': lambda r: r['source'] == 'video', 'gold': lambda r: r['gold']}
    for side in (640, 320):
        found = detect_all(average, val, side)
        for name, keep in sets.items():
            pictures, results = zip(*((p, f) for p, f in zip(val, found) if keep(p.row)))
            row[f'{name}_ap_{side}'] = round(average_precision(pictures, results)['ap'], 4)
    return row


def main():
    o = options()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(o.seed)
    os.makedirs(o.out, exist_ok=True)
    degraded = os.path.join(o.out, 'degraded')
    degrade(o.data, degraded)
    train = [Picture(o.data, r, degraded) for r in read_rows(o.data, is_training_row)]
    val = [Picture(o.data, r) for r in read_rows(o.data, lambda r: r['split'] == 'val')]
    print(f'{len(train)} training pictures, {sum(len(p.faces) for p in train)} faces; {len(val)} val', flush=True)
    trainer = Trainer(o, train)
    trainer.choose_precision()
    state, sums, counted = trainer.state, {}, 0
    begun, saved = time.process_time() - state['seconds'], time.time()
    while not trainer.done():
        for k, v in trainer.step().items():
            sums[k] = sums.get(k, 0) + v
        counted += 1
        state['seconds'] = time.process_time() - begun
        due = state['seconds'] - state['evaluated'] >= 60 * o.every
        if due or trainer.done():
            row = {'step': state['step'], 'views': state['views'], 'hours': round(state['seconds'] / 3600, 3)}
            row |= {'rate': round(trainer.rate(), 6), 'cooldown': bool(o.cooldown_steps)}
            row |= {k: round(v / counted, 4) for k, v in sums.items()}
            row |= evaluate(trainer.average, val)
            row |= mine(trainer.average, train)
            trainer.batches.reweigh()
            row['evaluation_seconds'] = round(time.process_time() - begun - state['seconds'], 1)
            begun = time.process_time() - state['seconds']
            state['evaluated'], sums, counted = state['seconds'], {}, 0
            with open(os.path.join(o.out, 'log.jsonl'), 'a', encoding='utf-8') as file:
                file.write(json.dumps(row) + '\n')
            print(json.dumps(row), flush=True)
        if due or time.time() - saved > CHECKPOINT_SECONDS or trainer.done():
            trainer.save()
            saved = time.time()


if __name__ == '__main__':
    main()
