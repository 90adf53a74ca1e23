#!/usr/bin/env python3
"""Stage 1: the face encoder learns the teacher's embeddings and which sound its lips belong to.

usage: train_visual.py DATA TEACHER OUT [STEPS]. Writes OUT/visual.pt (checkpoint, resumed), OUT/log-visual.jsonl.
"""
import copy, json, os, sys, time
import numpy as np, torch
from torch import nn
import torch.nn.functional as F
import clips as pack
from networks import Teacher, Visual, shifted

SEED, FRAMES, BATCH, RATE = 11, 32, 10, 2e-3
LAGS = list(range(-14, 15))


class Sync(nn.Module):
    """Lips and sound in one space, for training only: [B, T, 128] → [B, T, 32]."""

    def __init__(self):
        super().__init__()
        self.face, self.sound = (nn.Conv1d(128, 32, 3) for _ in range(2))
        self.heat = nn.Parameter(torch.tensor(2.))

    def forward(self, visual, audio):
        def moves(layer, x):
            # Without padding: what it leaves at both ends of both sides would tell the right moment.
            x = layer(x.transpose(1, 2)).transpose(1, 2)
            x = x - x.mean(1, keepdim=True)
            return x / torch.sqrt((x * x).mean(1, keepdim=True) + .1)
        return moves(self.face, visual), moves(self.sound, audio)


def contrast(sync, visual, audio, speaks):
    """Right sound among wrong moments of it and other clips' sound; right is 0 to 2 frames before the lips."""
    v, a = sync(visual[speaks], audio[speaks])
    if len(v) < 2: return visual.sum() * 0
    own = torch.stack([(v * shifted(a, -lag)).mean((1, 2)) for lag in LAGS], 1)
    foreign = torch.einsum('itk,jtk->ij', v, shifted(a, -1)) / (v.shape[1] * v.shape[2])
    foreign = foreign[~torch.eye(len(v), dtype=torch.bool)].reshape(len(v), -1)
    right = torch.tensor([0 <= lag <= 2 for lag in LAGS])
    wrong = torch.tensor([lag < -4 or lag > 6 for lag in LAGS])
    heat = sync.heat.exp() * 2
    good = torch.logsumexp(own[:, right] * heat, 1)
    return (torch.logsumexp(torch.cat([own[:, right], own[:, wrong], foreign], 1) * heat, 1) - good).mean()


def batch_of(rng, clips):
    crops, rows = [], []
    while len(crops) < BATCH:
        clip = pack.pick(rng, clips)
        if len(clip['small']) < FRAMES: continue
        at = int(rng.integers(0, len(clip['small']) - FRAMES + 1))
        part = slice(at, at + FRAMES)
        crops.append(clip['small'][part])
        rows.append((clip['visual'][part], clip['audio'][part], (clip['label'][part] == 1).mean() > .6))
    visual, audio, speaks = zip(*rows)
    return torch.from_numpy(np.stack(crops)).float(), torch.from_numpy(np.stack(visual)).float(), torch.from_numpy(np.stack(audio)).float(), torch.tensor([bool(s) for s in speaks])


def embed(net, crops):
    with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16):
        return net(torch.from_numpy(crops)[None].float())[0].float()


def check(net, tracks, teacher):
    """How near the embeddings are on people never trained on, and what the teacher's back end makes of them."""
    net.eval()
    faces = [embed(net, t['crops']) for t in tracks]
    truth = [torch.from_numpy(t['visual']) for t in tracks]
    moved = lambda xs: torch.cat([x - x.mean(0) for x in xs])
    error = ((torch.cat(faces) - torch.cat(truth)) ** 2).mean() / torch.cat(truth).var(0).mean()
    error_moved = ((moved(faces) - moved(truth)) ** 2).mean() / moved(truth).var(0).mean()
    figures = dict(r2=round(1 - error.item(), 4), r2_moved=round(1 - error_moved.item(), 4))
    pairs = pack.two_mouths(tracks, 50)
    for name, lips in (('ours', faces), ('theirs', truth)):
        sound = torch.stack([torch.from_numpy(tracks[i]['audio'][at:at + 50]) for i, at, *_ in pairs])
        own = teacher.backend(sound, torch.stack([lips[i][at:at + 50] for i, at, *_ in pairs])).mean(1)
        other = teacher.backend(sound, torch.stack([lips[j][at:at + 50] for _, _, j, at in pairs])).mean(1)
        figures['afc_' + name] = round((own > other).float().mean().item(), 4)
    net.train()
    return figures


def main(data, teacher_folder, out, steps=3000):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    steps = int(steps)
    teacher = Teacher(teacher_folder)
    clips = pack.load(out, teacher)
    print({k: (len(v), sum(len(c['small']) for c in v)) for k, v in clips.items()}, flush=True)
    tracks = pack.validation(os.path.join(data, 'av'), out, teacher)
    everything = np.concatenate([c['visual'] for v in clips.values() for c in v]).astype(np.float32)
    spread = torch.from_numpy(everything.std(0) + .02)
    moving = np.concatenate([c['visual'].astype(np.float32) - c['visual'].astype(np.float32).mean(0) for k in ('real', 'varied', 'borrowed') if k in clips for c in clips[k]])
    moving = torch.from_numpy(moving.std(0) + .02)
    net, sync = Visual(), Sync()
    with torch.no_grad():  # begin at the mean
        net.out.bias.copy_(torch.from_numpy(everything.mean(0)))
    average = copy.deepcopy(net)
    weights = [*net.parameters(), *sync.parameters()]
    optimiser = torch.optim.AdamW(weights, RATE, weight_decay=.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=.08, final_div_factor=100)
    path, log, step, spent = os.path.join(out, 'visual.pt'), os.path.join(out, 'log-visual.jsonl'), 0, 0.
    if os.path.exists(path):
        saved = torch.load(path)
        for part, name in ((net, 'net'), (sync, 'sync'), (average, 'average'), (optimiser, 'optimiser'), (schedule, 'schedule')): part.load_state_dict(saved[name])
        step, spent = saved['step'], saved['spent']
    sums, started = np.zeros(3), time.time()
    while step < steps:
        rng = np.random.default_rng([SEED, step])
        crops, truth, audio, speaks = batch_of(rng, clips)
        # Exposure may change a little without changing what the lips say.
        crops = (crops * torch.empty(BATCH, 1, 1, 1).uniform_(.85, 1.15) + torch.empty(BATCH, 1, 1, 1).uniform_(-12, 12)).clamp(0, 255)
        with torch.autocast('cpu', dtype=torch.bfloat16): visual = net.look(crops)
        visual = visual.float()
        near = (((visual - truth) / spread) ** 2).mean()
        detail = (((visual - visual.mean(1, keepdim=True) - truth + truth.mean(1, keepdim=True)) / moving) ** 2).mean()
        agree = contrast(sync, visual, audio, speaks)
        loss = near + detail + .15 * agree
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(weights, 2.)
        optimiser.step()
        schedule.step()
        keep = min(.99, (step + 1) / (step + 20))
        with torch.no_grad():
            for a, b in zip(average.state_dict().values(), net.state_dict().values()):
                if a.dtype.is_floating_point: a.lerp_(b, 1 - keep)
                else: a.copy_(b)
        sums += (near.item(), detail.item(), agree.item())
        step += 1
        if step % 100 == 0 or step == steps:
            spent += time.time() - started
            row = dict(step=step, seconds=round(spent), near=round(sums[0] / 100, 4), detail=round(sums[1] / 100, 4), agree=round(sums[2] / 100, 4))
            if step % 300 == 0 or step == steps: row |= check(average, tracks, teacher)
            with open(log, 'a') as file: file.write(json.dumps(row) + '\n')
            print(row, flush=True)
            state = dict(net=net.state_dict(), sync=sync.state_dict(), average=average.state_dict(), optimiser=optimiser.state_dict(), schedule=schedule.state_dict(), step=step, spent=spent)
            torch.save(state, path + '.tmp')
            os.replace(path + '.tmp', path)
            sums[:], started = 0, time.time()


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
