#!/usr/bin/env python3
"""Trains the three networks together. usage: train.py --data DATA --teacher TEACHER --out OUT [--steps N] [--cooldown-steps N]

Runs at a constant rate until --steps (default: for ever) or a signal; OUT/last.pt is written every five minutes and the same
command goes on from there. With --cooldown-steps the last checkpoint goes on in OUT/cool.pt while its rate falls to nothing.
OUT/log.jsonl gets a line every 500 steps, with figures on validation people every 1500.
"""
import argparse, copy, json, os, sys, time
import cv2
import numpy as np, torch
from torch import nn
import torch.nn.functional as F

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from muon import Muon
from examples import MARGIN, TEACHER_REACH, Examples
from held_out import validation
from measure import check
from networks import Audio, Backend, Teacher, Visual

SEED, BUDGET, RATE, DECAY, EMA, WARM_UP = 23, 480, 1e-3, .03, .9985, 300
MOVED = range(8, MARGIN - 1)  # frames: by so much the right voice is at a wrong moment
#: Weights of the parts of the loss.
NEAR, DETAIL, HEARD, DISTIL, MATCH, SYNC = .2, .3, .2, 1., .4, .5
OWN, QUIET, SILENT, FOREIGN, LATE = 1., 1., .3, .15, .1  # of what the labels say


class Sync(nn.Module):
    """Lips and sound in one space, for training only: [B, T, 128] → [B, T − 2, 32]. Without padding, whose ends would tell."""

    def __init__(self):
        super().__init__()
        self.face, self.sound = (nn.Conv1d(128, 32, 3) for _ in range(2))
        self.heat = nn.Parameter(torch.tensor(2.))

    def moves(self, layer, x):
        x = layer(x.transpose(1, 2)).transpose(1, 2)
        x = x - x.mean(1, keepdim=True)
        return x / torch.sqrt((x * x).mean(1, keepdim=True) + .1)

    def loss(self, faces, sounds, shifts, inside):
        """The right moment of the right sound, among wrong moments of it and other sounds: [K, T], [V, T + 2 MARGIN], V ≥ K."""
        frames, count = faces.shape[1], len(faces)
        v, a = self.moves(self.face, faces), self.moves(self.sound, sounds)
        heat = self.heat.exp() * 2
        own, allowed = [], []
        for lag in range(-MARGIN, MARGIN + 1):
            own.append((v * a[:count, MARGIN + lag:MARGIN + lag + frames - 2]).mean((1, 2)))
            allowed.append(inside[:, MARGIN + lag:MARGIN + lag + frames].all(1))
        own, allowed = torch.stack(own, 1) * heat, torch.stack(allowed, 1)
        # Sound of frame t stands `shift` later, and lips begin up to two frames before they are heard.
        off = torch.arange(-MARGIN, MARGIN + 1)[None] - shifts[:, None]
        right, wrong = (off >= -3) & (off <= 1), ((off < -6) | (off > 5)) & allowed
        middle = a[:, MARGIN:MARGIN + frames - 2]
        foreign = torch.einsum('itk,jtk->ij', v, middle) * heat / (v.shape[1] * v.shape[2])
        others = ~torch.eye(count, len(sounds), dtype=torch.bool)
        good = torch.logsumexp(own.masked_fill(~right, -1e4), 1)
        bad = torch.cat([own.masked_fill(~wrong, -1e4), foreign.masked_fill(~others, -1e4)], 1)
        return (torch.logaddexp(good, torch.logsumexp(bad, 1)) - good).mean()


class Networks(nn.Module):
    def __init__(self):
        super().__init__()
        self.visual, self.audio, self.backend, self.sync = Visual(), Audio(), Backend(), Sync()


def imitation(found, truth, valid, spread, moving):
    """How far embeddings are from the teacher's, as they are and less their means, in its own spread."""
    near = (((found - truth) / spread) ** 2).mean(2)[valid].mean()
    share = valid.float()[..., None]
    mean = lambda x: (x * share).sum(1, keepdim=True) / share.sum(1, keepdim=True).clamp(min=1)
    detail = (((found - mean(found) - truth + mean(truth)) / moving) ** 2).mean(2)[valid].mean()
    return near, detail


class Trainer:
    def __init__(self, o, examples, teacher):
        self.o, self.examples, self.teacher = o, examples, teacher
        self.net = Networks()
        self.net.visual.to(memory_format=torch.channels_last)
        seen = np.concatenate([c.visual for c in examples.clips]).astype(np.float32)
        moved = np.concatenate([c.visual.astype(np.float32) - c.visual.astype(np.float32).mean(0) for c in examples.clips if c.kind != 'photo'])
        heard = np.concatenate([told for c in examples.clips for _, told in c.voices]).astype(np.float32)
        rows = np.concatenate([rows for c in examples.clips for rows, _ in c.voices]).astype(np.float32)
        self.spread = [torch.from_numpy(x.std(0) + .02) for x in (seen, moved, heard)]
        self.net.audio.mean.copy_(torch.from_numpy(rows.mean(0)))
        self.net.audio.scale.copy_(torch.from_numpy(1 / (rows.std(0) + 1e-3)))
        with torch.no_grad():
            self.net.visual.out.bias.copy_(torch.from_numpy(seen.mean(0)))
            self.net.audio.out.bias.copy_(torch.from_numpy(heard.mean(0)))
        self.average = copy.deepcopy(self.net).eval()
        ends = (self.net.visual.one, self.net.visual.out, self.net.audio.head[0], self.net.audio.out, self.net.backend.out, self.net.sync)
        outer = {id(p) for part in ends for p in part.parameters()}
        hidden = [p for p in self.net.parameters() if p.ndim >= 2 and id(p) not in outer]
        rest = [p for p in self.net.parameters() if p.ndim < 2 or id(p) in outer]
        self.optimisers = [Muon(hidden, RATE, weight_decay=DECAY), torch.optim.AdamW(rest, RATE, weight_decay=DECAY)]
        self.state = dict(step=0, seconds=0., cool_from=None)
        self.path = os.path.join(o.out, 'cool.pt' if o.cooldown_steps else 'last.pt')
        self.resume()

    def resume(self):
        path = self.path if os.path.exists(self.path) else os.path.join(self.o.out, 'last.pt')
        if os.path.exists(path):
            saved = torch.load(path, map_location='cpu')
            self.net.load_state_dict(saved['net'])
            self.average.load_state_dict(saved['average'])
            for optimiser, kept in zip(self.optimisers, saved['optimisers']): optimiser.load_state_dict(kept)
            self.state = saved['state']
            print('going on after step', self.state['step'], flush=True)
        if self.o.cooldown_steps and self.state['cool_from'] is None: self.state['cool_from'] = self.state['step']

    def save(self):
        kept = dict(net=self.net.state_dict(), average=self.average.state_dict(), state=self.state, optimisers=[o.state_dict() for o in self.optimisers])
        torch.save(kept, self.path + '.new')
        os.replace(self.path + '.new', self.path)

    def done(self):
        o, step = self.o, self.state['step']
        return bool(o.cooldown_steps and step >= self.state['cool_from'] + o.cooldown_steps or o.steps and step >= o.steps)

    def rate(self):
        o, step = self.o, self.state['step']
        if o.cooldown_steps: return RATE * max(0., 1 - (step - self.state['cool_from']) / o.cooldown_steps)
        return RATE * min(1., (step + 1) / WARM_UP)

    def loss(self, batch):
        talkers, faces_count = len(batch['shifts']), len(batch['faces'])
        frames = batch['faces'].shape[1]
        with torch.autocast('cpu', dtype=torch.bfloat16):
            visual = self.net.visual.look(batch['faces'].float())
            audio = self.net.audio(batch['rows'])
        visual, audio = visual.float(), audio.float()
        near, detail = imitation(visual, batch['truth'], batch['valid'], *self.spread[:2])
        whole = torch.ones(audio.shape[:2], dtype=torch.bool)
        whole[:, :TEACHER_REACH], whole[:, -TEACHER_REACH:] = False, False
        heard = sum(imitation(audio, batch['answers'], whole, self.spread[2], self.spread[2]))
        sync = self.net.sync.loss(visual[:talkers], audio, batch['shifts'], batch['inside'])

        middle = audio[:, MARGIN:MARGIN + frames]
        told = batch['answers'][:, MARGIN:MARGIN + frames]
        i, j = (k.flatten() for k in torch.meshgrid(torch.arange(faces_count), torch.arange(len(audio)), indexing='ij'))
        # The right voice at a wrong moment, where the clip goes on so far.
        rng, moved = np.random.default_rng([SEED, self.state['step']]), []
        for k in range(talkers):
            for sign in (-1, 1):
                by = sign * int(rng.choice(MOVED))
                first = MARGIN + by
                if 0 <= first and first + frames <= audio.shape[1] and batch['inside'][k, first:first + frames].all(): moved.append((k, first))
        late = [k for k, _ in moved]
        voices = torch.cat([middle[j]] + [audio[k:k + 1, first:first + frames] for k, first in moved])
        mouths = torch.cat([visual[i], visual[late]])
        # A little noise on the embeddings stands for people that the encoders have not seen.
        with torch.autocast('cpu', dtype=torch.bfloat16):
            scores = self.net.backend(voices + torch.randn_like(voices) * .05 * voices.std().detach(), mouths + torch.randn_like(mouths) * .05 * mouths.std().detach())
        scores = scores.float()
        table, wrong_moment = scores[:len(i)].reshape(faces_count, len(audio), frames), scores[len(i):]

        own = torch.arange(talkers)
        labels, zero = batch['labels'], lambda x: F.softplus(x)  # the loss of "does not speak"
        mine, label = table[own, own], labels[:talkers]
        known = label >= 0
        truth = OWN * F.binary_cross_entropy_with_logits(mine[known], label[known])
        quiet = labels[talkers:] == 0
        truth = truth + QUIET * zero(table[talkers:]).mean(1)[quiet].mean()
        truth = truth + SILENT * zero(table[:talkers, talkers:][:, batch['silent']]).mean()
        other = ~torch.eye(talkers, len(audio), dtype=torch.bool)
        truth = truth + FOREIGN * zero(table[:talkers][other]).mean()
        if moved: truth = truth + LATE * zero(wrong_moment).mean()

        means = table.mean(2) * 2
        extra = torch.full((talkers, 2), -1e4)
        for n, k in enumerate(late): extra[k, n - late.index(k)] = wrong_moment[n].mean() * 2
        match = (F.cross_entropy(torch.cat([means[:talkers], extra], 1), own) + F.cross_entropy(means[:, :talkers].T, own)) / 2

        pick = [(k, k, 1.) for k in range(talkers)]
        pick += [(k, int(v), 1.) for k in range(talkers, faces_count) for v in rng.choice(len(audio), 4, replace=False)]
        pick += [(k, int(rng.integers(len(audio))), .25) for k in range(talkers)]
        f, s, trust = zip(*pick)
        answers = self.teacher.backend(told[list(s)], batch['truth'][list(f)]).clamp(-4, 5)
        trusted = torch.tensor(trust)[:, None] * batch['valid'][list(f)].any(1, keepdim=True)
        distil = (F.smooth_l1_loss(table[list(f), list(s)], answers, reduction='none') * trusted).mean()

        total = NEAR * near + DETAIL * detail + HEARD * heard + DISTIL * distil + truth + MATCH * match + SYNC * sync
        right = (means[:, :talkers].argmax(0) == own).float().mean()
        parts = dict(near=near, detail=detail, heard=heard, distil=distil, truth=truth, match=match, sync=sync, right=right)
        return total, {k: v.item() for k, v in parts.items()}

    def step(self):
        total, parts = self.loss(self.examples.batch(self.state['step'], BUDGET))
        self.net.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 3.)
        for optimiser in self.optimisers:
            for group in optimiser.param_groups: group['lr'] = self.rate()
            optimiser.step()
        self.state['step'] += 1
        keep = EMA * (1 - np.exp(-self.state['step'] / 400))
        with torch.no_grad():
            for a, b in zip(self.average.state_dict().values(), self.net.state_dict().values()):
                if a.dtype.is_floating_point: a.lerp_(b, 1 - keep)
                else: a.copy_(b)
        return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ('data', 'teacher', 'out'): parser.add_argument('--' + name, required=True)
    parser.add_argument('--steps', type=int, default=0)
    parser.add_argument('--cooldown-steps', type=int, default=0)
    o = parser.parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    torch.manual_seed(SEED)
    teacher = Teacher(o.teacher)
    examples = Examples(o.data, o.out, teacher, SEED)
    tracks = validation(os.path.join(o.data, 'av'), o.out, teacher)
    kinds = {}
    for c in examples.clips: kinds[c.kind] = kinds.get(c.kind, 0) + c.frames
    print(kinds, len(tracks), 'tracks held out', flush=True)
    trainer = Trainer(o, examples, teacher)
    state, sums, counted, saved = trainer.state, {}, 0, time.time()
    begun = time.process_time() - state['seconds']
    while not trainer.done():
        for k, v in trainer.step().items(): sums[k] = sums.get(k, 0) + v
        counted += 1
        state['seconds'] = time.process_time() - begun
        if state['step'] % 500 == 0 or trainer.done():
            row = dict(step=state['step'], hours=round(state['seconds'] / 3600, 3), rate=round(trainer.rate(), 6)) | {k: round(v / counted, 4) for k, v in sums.items()}
            if state['step'] % 1500 == 0 or trainer.done(): row |= check(trainer.average, tracks)
            sums, counted = {}, 0
            with open(os.path.join(o.out, 'log.jsonl'), 'a') as file: file.write(json.dumps(row) + '\n')
            print(json.dumps(row), flush=True)
        if time.time() - saved > 300 or trainer.done():
            trainer.save()
            saved = time.time()


if __name__ == '__main__':
    main()
