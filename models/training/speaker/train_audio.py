#!/usr/bin/env python3
"""Stage 2: the sound encoder learns the teacher's embeddings, on speech that was recorded and made up, noise and music.

usage: train_audio.py DATA TEACHER OUT [STEPS]. Writes OUT/audio.pt and OUT/log-audio.jsonl; OUT/sounds.npz is kept.
"""
import glob, json, os, sys, time
import numpy as np, torch
from torch import nn
import clips as pack, sound
from networks import Audio, Teacher

SEED, FRAMES, BATCH, RATE = 13, 60, 32, 2e-3
SYNTHETIC_MINUTES, OTHER_MINUTES = 20, 6


def sounds(out, teacher):
    """MFCC rows and the teacher's answers, each a list over pieces of sound."""
    path = os.path.join(out, 'sounds.npz')
    if not os.path.exists(path):
        rng, pieces = np.random.default_rng(SEED), []
        for clip in sorted(glob.glob(os.path.join(out, 'clips', '*-????.npz'))):
            kind = os.path.basename(clip).split('-')[0]
            if kind in ('idle', 'photo'): continue
            with np.load(clip) as f: pcm = f['pcm']
            for _ in range(8 if kind == 'real' else 1): pieces.append(sound.spoil(rng, pcm))
            if kind == 'real': pieces.append(pcm)
        for _ in range(SYNTHETIC_MINUTES * 3): pieces.append(sound.spoil(rng, sound.synthetic_speech(rng, 20)))
        for i in range(OTHER_MINUTES * 6):
            make = sound.music if i % 2 else sound.noise
            pieces.append(make(rng, 10 * sound.RATE) * 10 ** rng.uniform(.3, 3.6))
        pieces += [np.zeros(4 * sound.RATE), rng.integers(-3, 4, 4 * sound.RATE)]
        for piece in list(pieces[::5]):  # speech that begins and ends
            gap = np.zeros(int(rng.integers(4000, 24000)))
            pieces.append(np.concatenate([piece[:len(piece) // 2], gap, piece[len(piece) // 2:]]))
        pieces = [p[:len(p) // 640 * 640] for p in pieces if len(p) >= 640 * FRAMES]
        rows = [sound.features(np.rint(p)) for p in pieces]
        answers = [teacher.audio(r).astype(np.float16) for r in rows]
        lengths = np.array([len(a) for a in answers])
        np.savez(path, rows=np.concatenate(rows), answers=np.concatenate(answers), lengths=lengths)
    with np.load(path) as f: return f['rows'], f['answers'], f['lengths']


def main(data, teacher_folder, out, steps=4000):
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    steps = int(steps)
    teacher = Teacher(teacher_folder)
    rows, answers, lengths = sounds(out, teacher)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    print(len(lengths), 'pieces', lengths.sum() / 1500, 'minutes', flush=True)
    spread = torch.from_numpy(answers.astype(np.float32).std(0) + .02)
    net = Audio()
    net.mean.copy_(torch.from_numpy(rows.mean(0)))
    net.scale.copy_(torch.from_numpy(1 / (rows.std(0) + 1e-3)))
    with torch.no_grad(): net.out.bias.copy_(torch.from_numpy(answers.astype(np.float32).mean(0)))
    average = torch.optim.swa_utils.AveragedModel(net, avg_fn=lambda a, b, n: a + (b - a) * max(.005, 1 / (1 + n.item())), use_buffers=True)
    optimiser = torch.optim.AdamW(net.parameters(), RATE, weight_decay=.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps, pct_start=.08, final_div_factor=100)
    path, step, spent, sums = os.path.join(out, 'audio.pt'), 0, 0., np.zeros(2)
    if os.path.exists(path):
        saved = torch.load(path)
        for part, name in ((net, 'net'), (average, 'average'), (optimiser, 'optimiser'), (schedule, 'schedule')): part.load_state_dict(saved[name])
        step, spent = saved['step'], saved['spent']
    tracks = pack.validation(os.path.join(data, 'av'), out, teacher)
    chance, started = lengths / lengths.sum(), time.time()
    while step < steps:
        rng = np.random.default_rng([SEED, step])
        x, y = [], []
        for i in rng.choice(len(lengths), BATCH, p=chance):
            at = starts[i] + int(rng.integers(0, lengths[i] - FRAMES + 1))
            x.append(rows[4 * at:4 * (at + FRAMES)])
            y.append(answers[at:at + FRAMES])
        found = net(torch.from_numpy(np.stack(x)))
        truth = torch.from_numpy(np.stack(y)).float()
        # The ends lack what came before and after them.
        found, truth = found[:, 5:-5] / spread, truth[:, 5:-5] / spread
        near = ((found - truth) ** 2).mean()
        detail = ((found - found.mean(1, keepdim=True) - truth + truth.mean(1, keepdim=True)) ** 2).mean()
        optimiser.zero_grad()
        (near + 2 * detail).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 2.)
        optimiser.step()
        schedule.step()
        average.update_parameters(net)
        sums += (near.item(), detail.item())
        step += 1
        if step % 200 == 0 or step == steps:
            spent += time.time() - started
            row = dict(step=step, seconds=round(spent), near=round(sums[0] / 200, 4), detail=round(sums[1] / 200, 4))
            if step % 1000 == 0 or step == steps: row |= check(average.module, tracks)
            with open(os.path.join(out, 'log-audio.jsonl'), 'a') as file: file.write(json.dumps(row) + '\n')
            print(row, flush=True)
            torch.save(dict(net=net.state_dict(), average=average.state_dict(), optimiser=optimiser.state_dict(), schedule=schedule.state_dict(), step=step, spent=spent, model=average.module.state_dict()), path + '.tmp')
            os.replace(path + '.tmp', path)
            sums[:], started = 0, time.time()


def check(net, tracks):
    net.eval()
    with torch.no_grad(): found = torch.cat([net(torch.from_numpy(t['rows'])[None])[0] for t in tracks])
    net.train()
    truth = torch.cat([torch.from_numpy(t['audio']) for t in tracks])
    return dict(r2=round(1 - (((found - truth) ** 2).mean() / truth.var(0).mean()).item(), 4))


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
