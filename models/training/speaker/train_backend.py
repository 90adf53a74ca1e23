#!/usr/bin/env python3
"""Stage 3: the back end, on the frozen encoders: labels, the teacher's scores, and which mouth belongs to which voice.

usage: train_backend.py DATA TEACHER OUT [STEPS [MATCH]]. Writes OUT/backend.pt and OUT/log-backend.jsonl. MATCH weighs the right
mouth among others (default 0.25).
"""
import json, os, sys, time
import numpy as np, torch
from torch import nn
import torch.nn.functional as F
import clips as pack
from networks import Backend, Teacher

SEED, RATE, TALKERS = 17, 2e-3, 6


def cut(rng, clip, frames, at=None):
    """A window of a clip: our face and sound, the teacher's face and sound, labels."""
    at = int(rng.integers(0, len(clip['face']) - frames + 1)) if at is None else at
    ours, theirs = clip['sounds'][rng.integers(len(clip['sounds']))]
    part = slice(at, at + frames)
    return clip['face'][part], ours[part], clip['truth'][part], theirs[part], torch.from_numpy(clip['label'][part].astype(np.float32))


def batch_of(rng, clips, noises, frames):
    """Talkers: every mouth with every voice. The rest: (face, sound, teacher's, label or −1) that nobody has to tell apart."""
    talking, others = [], []
    every = [c for v in clips.values() for c in v]
    while len(talking) < TALKERS:
        clip = pack.pick(rng, clips, ['real', 'varied', 'borrowed', 'talking'])
        if clip['speaks'] and len(clip['face']) >= frames: talking.append(cut(rng, clip, frames))
    zeros, unknown = torch.zeros(frames), -torch.ones(frames)
    def some(kinds):
        while True:
            clip = pack.pick(rng, clips, kinds)
            if len(clip['face']) >= frames: return clip
    quiet = [c for c in every if (c['label'] == 0).mean() > .7 and len(c['face']) >= frames]
    for k in range(7):  # quiet faces, made and recorded, hear somebody or nobody
        face = cut(rng, some(['idle', 'photo']) if k < 2 else quiet[rng.integers(len(quiet))], frames)
        ours, theirs = (cut(rng, some(['real', 'varied', 'talking']), frames) if rng.random() < .7 else cut(rng, some(['idle']), frames))[1::2][:2]
        others.append((face[0], ours, face[2], theirs, torch.where(face[4] == 1, unknown, zeros)))
    silent = [c for c in every if not c['speaks'] and len(c['face']) >= frames]
    for _ in range(5):  # faces that may or may not talk hear somebody else: the teacher knows quiet from moving mouths
        face, voice = cut(rng, silent[rng.integers(len(silent))], frames), cut(rng, some(['real', 'varied', 'talking']), frames)
        others.append((face[0], voice[1], face[2], voice[3], unknown))
    for _ in range(3):  # anything as it is
        others.append(cut(rng, some(None), frames))
    for _ in range(4):  # talking mouths with sound that nobody says
        face = talking[rng.integers(TALKERS)] if rng.random() < .5 else cut(rng, some(['real', 'varied']), frames)
        ours, theirs = noises[rng.integers(len(noises))]
        at = int(rng.integers(0, len(ours) - frames + 1))
        others.append((face[0], ours[at:at + frames], face[2], theirs[at:at + frames], zeros))
    for _ in range(3):  # the right voice at a wrong moment
        clip = some(['real', 'varied', 'borrowed', 'talking'])
        room = len(clip['face']) - frames
        if room < 9: continue
        a = int(rng.integers(0, room - 8)) if rng.random() < .5 else int(rng.integers(8, room + 1))
        b = a + 8 + int(rng.integers(0, room - a - 7)) if a + 8 <= room else int(rng.integers(0, a - 7))
        face, other = cut(rng, clip, frames, a), cut(rng, clip, frames, b)
        others.append((face[0], other[1], face[2], other[3], unknown))
    return talking, others


def main(data, teacher_folder, out, steps=1200, match=.25):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    steps, match = int(steps), float(match)
    teacher = Teacher(teacher_folder)
    clips, noises, tracks = torch.load(os.path.join(out, 'embedded.pt')).values()
    net = Backend()
    average = torch.optim.swa_utils.AveragedModel(net, avg_fn=lambda a, b, n: a + (b - a) * max(.005, 1 / (1 + n.item())), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=.08, final_div_factor=100)
    path, step, sums, started, spent = os.path.join(out, 'backend.pt'), 0, np.zeros(4), time.time(), 0.
    if os.path.exists(path):
        saved = torch.load(path)
        for part, name in ((net, 'net'), (average, 'average'), (optimiser, 'optimiser'), (schedule, 'schedule')): part.load_state_dict(saved[name])
        step, spent = saved['step'], saved['spent']
    while step < steps:
        rng = np.random.default_rng([SEED, step])
        frames = int(rng.choice([25, 25, 38, 50]))
        talking, others = batch_of(rng, clips, noises, frames)
        face, ours, truth, theirs, label = (torch.stack(x) for x in zip(*talking))
        n = len(face)
        i, j = (k.flatten() for k in torch.meshgrid(torch.arange(n), torch.arange(n), indexing='ij'))  # mouth i, voice j
        more = [torch.stack(x) for x in zip(*others)]
        same = (i == j)[:, None]
        labels = torch.cat([torch.where(same, label[i], -torch.ones(1)), more[4]])
        # A little noise on the embeddings stands for people that the encoders have not seen.
        faces = torch.cat([face[i], more[0]])
        voices = torch.cat([ours[j], more[1]])
        faces = faces + torch.randn_like(faces) * .1 * faces.std()
        voices = voices + torch.randn_like(voices) * .1 * voices.std()
        answers = teacher.backend(torch.cat([theirs[j], more[3]]), torch.cat([truth[i], more[2]]))
        scores = net(voices, faces)
        # Teacher's scores: in full where nothing better is known, little where the label contradicts.
        trust = torch.where(labels == -1, torch.where(torch.cat([same, torch.ones(len(more[0]), 1, dtype=torch.bool)]), 1., .3), .3)
        distil = (F.smooth_l1_loss(scores, answers.clamp(-4, 5), reduction='none') * trust).mean()
        known = labels >= 0
        truthful = F.binary_cross_entropy_with_logits(scores[known], labels[known])
        table = scores[:n * n].mean(1).reshape(n, n)
        which = torch.arange(n)
        matched = (F.cross_entropy(table * 2, which) + F.cross_entropy(table.T * 2, which)) / 2
        loss = distil + truthful + match * matched
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.)
        optimiser.step()
        schedule.step()
        average.update_parameters(net)
        sums += (distil.item(), truthful.item(), matched.item(), (table.argmax(0) == which).float().mean().item())
        step += 1
        if step % 100 == 0 or step == steps:
            spent += time.time() - started
            row = dict(step=step, seconds=round(spent)) | {k: round(v / 100, 4) for k, v in zip(('distil', 'truth', 'matched', 'right'), sums)}
            if step % 500 == 0 or step == steps: row |= check(average.module, tracks)
            with open(os.path.join(out, 'log-backend.jsonl'), 'a') as file: file.write(json.dumps(row) + '\n')
            print(row, flush=True)
            torch.save(dict(net=net.state_dict(), average=average.state_dict(), optimiser=optimiser.state_dict(), schedule=schedule.state_dict(), step=step, spent=spent, model=average.module.state_dict()), path + '.tmp')
            os.replace(path + '.tmp', path)
            sums[:], started = 0, time.time()


def auc(high, low):
    order = torch.cat([high, low]).argsort().argsort().float()[:len(high)]
    return ((order.sum() - len(high) * (len(high) - 1) / 2) / (len(high) * len(low))).item()


def check(net, tracks):
    """Two mouths and one voice, and speaking against quiet, on validation people."""
    net.eval()
    figures = {}
    with torch.no_grad():
        for frames in (25, 50):
            pairs = pack.two_mouths(tracks, frames)
            voices = torch.stack([tracks[i]['sound'][at:at + frames] for i, at, *_ in pairs])
            own = net(voices, torch.stack([tracks[i]['face'][at:at + frames] for i, at, *_ in pairs])).mean(1)
            other = net(voices, torch.stack([tracks[j]['face'][at:at + frames] for _, _, j, at in pairs])).mean(1)
            figures[f'afc_{frames}'] = round((own > other).float().mean().item(), 4)
            figures[f'auc_{frames}'] = round(auc(own, other), 4)
        frames = 25
        quiet = [(t, at) for t in tracks for at in range(0, len(t['face']) - frames + 1, frames) if (t['label'][at:at + frames] == 0).all()]
        if quiet:
            faces = torch.stack([t['face'][at:at + frames] for t, at in quiet])
            low = net(torch.stack([t['sound'][at:at + frames] for t, at in quiet]), faces).mean(1)
            foreign = net(voices_at(pairs, tracks, frames, len(quiet)), faces).mean(1)
            figures |= dict(quiet_auc=round(auc(own, low), 4), quiet_foreign_auc=round(auc(own, foreign), 4), mean_own=round(own.mean().item(), 2), mean_quiet=round(low.mean().item(), 2))
    net.train()
    return figures


def voices_at(pairs, tracks, frames, count):
    return torch.stack([tracks[i]['sound'][at:at + frames] for i, at, *_ in (pairs * (count // len(pairs) + 1))[:count]])


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
