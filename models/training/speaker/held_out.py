"""Recorded tracks that are only ever measured on, and what is measured."""
import json, os
import numpy as np
import sound
from prepare import halved


def validation(pack, out, teacher, splits=('val',)):
    """Real talkers of these splits with the teacher's embeddings: only ever measured on."""
    import torch
    tracks, folder = [], os.path.join(out, 'check')
    os.makedirs(folder, exist_ok=True)
    for line in open(os.path.join(pack, 'meta.jsonl')):
        m = json.loads(line)
        if m['split'] not in splits or m['generated'] or m['still']: continue
        path = os.path.join(folder, m['id'] + '.npz')
        if not os.path.exists(path):
            crops = np.frombuffer(sound.decode(os.path.join(pack, m['video']), '-f', 'rawvideo', '-pix_fmt', 'gray'), np.uint8).reshape(-1, 112, 112)
            pcm = np.frombuffer(sound.decode(os.path.join(pack, m['audio']), '-f', 's16le'), np.int16)
            rows = sound.features(pcm)
            with torch.autocast('cpu', dtype=torch.bfloat16): visual = teacher.visual(crops)
            np.savez(path, small=halved(crops), pcm=pcm, rows=rows, visual=visual, audio=teacher.audio(rows))
        with np.load(path) as f: track = {k: f[k] for k in f.files}
        tracks.append(track | dict(id=m['id'], person=m['person'], talker=m['talker'], label=np.array(m['label']), vad=np.array(m['vad'])))
    return tracks


def two_mouths(tracks, frames, seed=1, partners=3):
    """Windows in which somebody talks, each with moving mouths of other people: (track, at, other, at)."""
    rng, windows = np.random.default_rng(seed), []
    for i, t in enumerate(tracks):
        if not t['talker']: continue
        for at in range(0, len(t['vad']) - frames + 1, frames):
            if (t['vad'][at:at + frames] >= .5).mean() >= .8: windows.append((i, at))
    pairs = []
    for i, at in windows:
        others = [w for w in windows if tracks[w[0]]['person'] != tracks[i]['person']]
        for k in rng.choice(len(others), min(partners, len(others)), replace=False): pairs.append((i, at, *others[k]))
    return pairs
