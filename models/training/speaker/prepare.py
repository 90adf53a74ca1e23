#!/usr/bin/env python3
"""Makes the training clips and the teacher's answers. usage: prepare.py DATA TEACHER OUT [--all-rows]

DATA has av/ and faces/ (meta.jsonl, labels.jsonl); TEACHER has the lr-asd-ava files. Each clip becomes OUT/clips/<n>.npz: small
uint8 [T,56,56] (the crops at half their size, as the network halves them), pcm int16 [640 T], label int8 [T] (1 speaks, 0 not,
-1 unknown), visual float16 [T,128]: the teacher's embedding. Clips that are there are not made again, and each has its own
seed, so an interrupted run goes on where it was.
`--all-rows` adds recorded tracks that must not ship, after the others: for comparison only.
"""
import json, os, sys, time
import numpy as np, torch
import puppets, sound
from split import is_training_row
from networks import Teacher

SEED = 7
#: How many clips of each kind; a clip has about 75 frames.
PLAN = dict(real=60, borrowed=480, talking=360, idle=240, photo=40)


def real_tracks(folder, all_rows=False):
    tracks = []
    rows = [json.loads(line) for line in open(os.path.join(folder, 'meta.jsonl'))]
    # The rows that ship come first and keep their numbers.
    for m in sorted(rows, key=lambda m: not is_training_row(m)):
        if not is_training_row(m, all_rows) or m['generated'] or m['still']: continue
        crops = np.frombuffer(sound.decode(os.path.join(folder, m['video']), '-f', 'rawvideo', '-pix_fmt', 'gray'), np.uint8).reshape(-1, 112, 112)
        pcm = np.frombuffer(sound.decode(os.path.join(folder, m['audio']), '-f', 's16le'), np.int16)
        tracks.append(dict(id=m['id'], person=m['person'], crops=crops, pcm=pcm, label=np.array(m['label'], np.int8), vad=np.array(m['vad'])))
    return tracks


def halved(crops):
    """uint8 [T, 112, 112] → [T, 56, 56]."""
    quarters = [crops[:, y::2, x::2].astype(np.uint16) for y in (0, 1) for x in (0, 1)]
    return ((sum(quarters) + 2) // 4).astype(np.uint8)


def piece(rng, track, longest=100):
    frames = len(track['crops'])
    count = min(frames, int(rng.integers(60, longest)))
    at = int(rng.integers(0, frames - count + 1))
    return {k: track[k][at:at + count] for k in ('crops', 'label', 'vad')} | dict(pcm=track['pcm'][at * 640:(at + count) * 640])


def faster(rng, part):
    """Picture and sound played at another speed: voices become higher or lower, lips quicker or slower."""
    step = rng.uniform(.8, 1.25)
    count = int(len(part['crops']) / step)
    at = np.minimum((np.arange(count) * step).round().astype(int), len(part['crops']) - 1)
    pcm = sound.resample(part['pcm'].astype(np.float32), step)[:count * 640]
    return {k: part[k][at] for k in ('crops', 'label', 'vad')} | dict(pcm=np.pad(pcm, (0, count * 640 - len(pcm))))


def make(kind, rng, tracks, faces):
    face = faces[rng.integers(len(faces))]
    talkers = [t for t in tracks if (t['label'] == 1).sum() > 20]
    minutes = {}
    for t in tracks: minutes[t['person']] = minutes.get(t['person'], 0) + len(t['crops'])

    def one_of(pool):  # two minutes of one person teach less than two minutes of twenty
        weight = np.array([len(t['crops']) / minutes[t['person']] ** .6 for t in pool])
        return pool[rng.choice(len(pool), p=weight / weight.sum())]
    lively = float(rng.choice([.1, .4, 1.0]))
    if kind == 'borrowed':
        pool = talkers if rng.random() < .75 else tracks
        part = piece(rng, one_of(pool))
        if rng.random() < .4 and len(part['crops']) > 36: part = faster(rng, part)
        return puppets.borrow(rng, part['crops'], face, lively * .5), part['pcm'], part['label']
    frames = int(rng.integers(60, 100))
    if kind == 'talking':
        if rng.random() < .65: pcm = sound.synthetic_speech(rng, frames / 25)
        else:
            t = one_of(talkers)
            pcm = sound.resample(piece(rng, t, 130)['pcm'].astype(np.float32), rng.uniform(.85, 1.2))
        pcm = np.pad(pcm, (0, max(0, frames * 640 - len(pcm))))[:frames * 640]
        lips = sound.lips(rng, pcm, frames)
        return puppets.talk(rng, face, lips, lively), pcm, np.where(lips[:, 0] > .15, 1, -1).astype(np.int8)
    pcm, label = np.zeros(frames * 640), np.zeros(frames, np.int8)
    if kind == 'photo': return puppets.still(rng, face, frames, 0), pcm, label
    mood = str(rng.choice(['closed', 'smile', 'chew', 'gape']))
    return puppets.talk(rng, face, puppets.idle(rng, frames, mood), lively), pcm, label


def main(data, teacher_folder, out, *options):
    torch.set_num_threads(1)
    teacher = Teacher(teacher_folder)
    tracks = real_tracks(os.path.join(data, 'av'), '--all-rows' in options)
    faces = puppets.load_faces(os.path.join(data, 'faces'))
    print(len(tracks), 'tracks', sum(len(t['crops']) for t in tracks), 'frames', len(faces), 'faces', flush=True)
    os.makedirs(os.path.join(out, 'clips'), exist_ok=True)
    with open(os.path.join(out, 'real.jsonl'), 'w') as file:
        for t in tracks: file.write(json.dumps(t['person']) + '\n')
    jobs = [('real', i) for i in range(len(tracks))]
    # Kinds in turn, so that an unfinished set is a mixed one.
    more = [(kind, i) for kind, count in PLAN.items() if kind != 'real' for i in range(count)]
    jobs += sorted(more, key=lambda job: job[1] / PLAN[job[0]])
    started, done = time.time(), 0
    for kind, i in jobs:
        path = os.path.join(out, 'clips', f'{kind}-{i:04d}.npz')
        if os.path.exists(path): continue
        rng = np.random.default_rng([SEED, list(PLAN).index(kind), i])
        if kind == 'real': crops, pcm, label = (tracks[i][k] for k in ('crops', 'pcm', 'label'))
        else: crops, pcm, label = make(kind, rng, tracks, faces)
        with torch.autocast('cpu', dtype=torch.bfloat16): visual = teacher.visual(crops)
        np.savez(path + '.tmp.npz', small=halved(crops), pcm=np.clip(np.rint(pcm), -32768, 32767).astype(np.int16), label=label, visual=visual.astype(np.float16))
        os.replace(path + '.tmp.npz', path)
        done += len(crops)
        if i % 50 == 0: print(kind, i, f'{done / (time.time() - started):.0f} frames/s', flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
