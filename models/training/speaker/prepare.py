#!/usr/bin/env python3
"""Makes the training clips and the teacher's answers. usage: prepare.py DATA TEACHER OUT [--all-rows]

DATA has av/ and faces/ (meta.jsonl, labels.jsonl); TEACHER has the lr-asd-ava files. Each clip becomes OUT/clips/<n>.npz: crops
uint8 [T,112,112], pcm int16 [640 T], kind, label int8 [T] (1 speaks, 0 not, -1 unknown), visual float16 [T,128]: the teacher's
embedding. Clips that are there are not made again, and each has its own seed, so an interrupted run goes on where it was.
`--all-rows` adds recorded tracks that must not ship, after the others: for comparison only.
"""
import json, os, sys, time
import numpy as np, torch
import puppets, sound
from split import is_training_row
from networks import Teacher

SEED = 7
#: How many clips of each kind; a clip has about 75 frames.
PLAN = dict(real=60, varied=420, borrowed=420, talking=300, idle=140, photo=30)


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
    lively = float(rng.choice([.1, .4, 1.0]))
    if kind in ('varied', 'borrowed'):
        pool = talkers if rng.random() < (.75 if kind == 'borrowed' else .6) else tracks
        part = piece(rng, pool[rng.integers(len(pool))])
        if rng.random() < .4: part = faster(rng, part)
        crops = puppets.vary(rng, part['crops'], lively * .5) if kind == 'varied' else puppets.borrow(rng, part['crops'], face, lively * .5)
        return crops, part['pcm'], part['label']
    frames = int(rng.integers(60, 100))
    if kind == 'talking':
        if rng.random() < .65: pcm = sound.synthetic_speech(rng, frames / 25)
        else:
            t = talkers[rng.integers(len(talkers))]
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
        np.savez(path + '.tmp.npz', crops=crops, pcm=np.clip(np.rint(pcm), -32768, 32767).astype(np.int16), label=label, visual=visual.astype(np.float16))
        os.replace(path + '.tmp.npz', path)
        done += len(crops)
        if i % 50 == 0: print(kind, i, f'{done / (time.time() - started):.0f} frames/s', flush=True)


if __name__ == '__main__':
    if len(sys.argv) < 4: sys.exit(__doc__)
    main(*sys.argv[1:])
