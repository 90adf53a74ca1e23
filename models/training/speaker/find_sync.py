#!/usr/bin/env python3
"""Directions in which both embeddings move together when a face speaks (canonical correlation), after train.py.

usage: find_sync.py DATA TEACHER OUT CHECKPOINT. Writes OUT/sync.npz: faces and sound, [128, 8], from recorded and borrowed
faces; prints how often the right mouth agrees more, on validation people, by the sum that the product builds.
"""
import glob, os, sys
import numpy as np, torch
import sound
from held_out import two_mouths, validation
from networks import Teacher, load_networks

WINDOW, FACE_PARTS, SOUND_PARTS, SIZE, LAGS = 51, 40, 30, 8, (0, 1, 2)
WEIGHTS = (1.1424, 1.0188, 0.7143, 0.5018, 0.4534, 0.422, 0.3726, 0.3202)  # src/core/lip-agreement.ts
FAR = [*range(-40, -11, 4), *range(14, 39, 4)]


def context(x, reach):
    at = np.arange(len(x))
    return np.concatenate([x[np.clip(at + k, 0, len(x) - 1)] for k in range(-reach, reach + 1)], 1).astype(np.float64)


def slow(x, window):
    padded = np.pad(x, ((window // 2, window // 2), (0, 0)), mode='edge')
    sums = np.cumsum(np.vstack([np.zeros((1, x.shape[1])), padded]), 0)
    return (sums[window:] - sums[:-window]) / window


def whitener(rows, parts):
    spread = rows.std(0) + 1e-6
    rows = (rows / spread)[::max(1, len(rows) // 8000)]
    _, values, axes = np.linalg.svd(rows, full_matrices=False)
    return (axes[:parts] / (values[:parts, None] / np.sqrt(len(rows)))).T / spread[:, None]


def fit(clips, reach, parts=(FACE_PARTS, SOUND_PARTS)):
    """clips: (faces, sound, speaks) per clip."""
    ready = [(context(f, reach), context(s, reach), speaks) for f, s, speaks in clips]
    ready = [(f - slow(f, 101), s - slow(s, 101), speaks) for f, s, speaks in ready]
    face_map = whitener(np.concatenate([r[0] for r in ready]), parts[0])
    sound_map = whitener(np.concatenate([r[1] for r in ready]), parts[1])
    cross = sum((f @ face_map)[speaks].T @ np.roll(s @ sound_map, lag, 0)[speaks] for f, s, speaks in ready for lag in LAGS)
    left, strength, right = np.linalg.svd(cross)
    scale = sum(r[2].sum() for r in ready) * len(LAGS)
    return face_map @ left[:, :SIZE], sound_map @ right[:SIZE].T, strength[:SIZE] / scale


def equalise(x):
    moved = x - slow(x, WINDOW)
    return moved / np.sqrt(slow(moved ** 2, WINDOW) + .3)


def agreement(lips, heard, first):
    """src/core/lip-agreement.ts: per frame of the face, which begins at frame `first` of the sound."""
    out, weights = np.full((len(lips), 2), np.nan), np.array(WEIGHTS)
    def at(lag):
        index = np.arange(len(lips)) + first - lag
        inside = (index >= 0) & (index < len(heard))
        value = (lips * heard[np.clip(index, 0, len(heard) - 1)] * weights).sum(1)
        return np.where(inside, value, np.nan)
    with np.errstate(invalid='ignore'):
        import warnings
        warnings.simplefilter('ignore')
        near = np.nan_to_num(np.stack([at(lag) for lag in (0, 1, 2)])).mean(0)
        far = np.nan_to_num(np.nanmean(np.stack([at(lag) for lag in FAR]), 0))
    return near - far


def afc(tracks, face_map, sound_map, reach, frames, seed=1):
    lips = [equalise(context(t['face'], reach) @ face_map) for t in tracks]
    heard = [equalise(context(t['sound'], reach) @ sound_map) for t in tracks]
    right = []
    for i, at, j, b in two_mouths(tracks, frames, seed):
        own = agreement(lips[i], heard[i], 0)[at:at + frames].mean()
        other = agreement(lips[j], heard[i], at - b)[b:b + frames].mean()
        right.append(own > other)
    return np.mean(right), len(right)


def embedded(networks, small, rows):
    with torch.no_grad(), torch.autocast('cpu', dtype=torch.bfloat16): face = networks['visual'].look(torch.from_numpy(small)[None].float())[0]
    with torch.no_grad(): return face.float().numpy(), networks['audio'](torch.from_numpy(rows)[None])[0].numpy()


def main(data, teacher_folder, out, checkpoint):
    torch.set_num_threads(1)
    networks, train = load_networks(checkpoint), []
    for path in sorted(glob.glob(os.path.join(out, 'clips', 'real-*.npz')) + glob.glob(os.path.join(out, 'clips', 'borrowed-*.npz'))):
        with np.load(path) as f: small, pcm, label = f['small'], f['pcm'], f['label']
        if len(label) < 25: continue
        train.append((*embedded(networks, small, sound.features(np.rint(pcm))), label == 1))
    faces, sounds, strength = fit(train, 0)
    np.savez(os.path.join(out, 'sync.npz'), faces=faces, sound=sounds)
    tracks = validation(os.path.join(data, 'av'), out, Teacher(teacher_folder))
    for t in tracks: t['face'], t['sound'] = embedded(networks, t['small'], t['rows'])
    print('correlations', strength.round(2), '2AFC 1 s, 2 s:', *(round(afc(tracks, faces, sounds, 0, n)[0], 3) for n in (25, 50)))


if __name__ == '__main__':
    if len(sys.argv) != 5: sys.exit(__doc__)
    main(*sys.argv[1:])
