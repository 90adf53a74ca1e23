"""What training draws from, and what evaluation hears."""

import json
import os

import numpy as np
import torch

from prepare import CODECS, FURTHER, ROOMS

LOSSY = tuple('codec-' + name for name in CODECS)
WET = tuple(f'train-room-{k}' for k in range(ROOMS))


def load_json(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return json.load(file)


class Pack:
    """The sounds that prepare.py decoded, for evaluation."""

    def __init__(self, folder):
        load = lambda name: np.load(os.path.join(folder, name + '.npy'), mmap_mode='r')
        index = load_json(folder, 'index.json')
        self.pieces = index['pieces']
        self.clean, self.noise = load('clean'), load('noise')
        by_kind = lambda held: {kind: [n for n in index['noises'] if n['kind'] == kind and n['held'] == held] for kind in ('noise', 'music', 'rir')}
        self.noises, self.held = by_kind(False), by_kind(True)

    def piece(self, row):
        return self.clean[row['start']:row['start'] + row['samples']].astype(np.float32) / 32768

    def other(self, row):
        return self.noise[row['start']:row['start'] + row['samples']].astype(np.float32) / 32768


def cut(rng, sound, count):
    """`count` from a random place along the first axis; what is shorter goes round."""
    if len(sound) < count:
        sound = np.concatenate([sound] * -(-count // len(sound)))
    at = rng.integers(0, len(sound) - count + 1)
    return sound[at:at + count]


class Draws:
    """Batches of pairs of one voice each, two pieces where it has two, everything about them drawn anew."""

    def __init__(self, folder, seed):
        self.rng = np.random.default_rng(seed)
        self.rows = np.load(os.path.join(folder, 'rows.npy'), mmap_mode='r')
        index = load_json(folder, 'rows.json')
        self.where = index['where']
        speakers = {}
        for i, speaker in enumerate(index['speakers']):
            speakers.setdefault(speaker, []).append(i)
        self.speakers = list(speakers.values())
        # Further voices count as further speakers.
        self.classes = [(pieces, voice) for voice in ('train', *FURTHER) for pieces in self.speakers]

    def version(self, voice):
        """As it is, through a codec, or in a room."""
        chance = self.rng.random()
        if voice != 'train':
            return voice if chance < 0.6 else voice + '-room-0'
        return voice if chance < 0.3 else self.rng.choice(LOSSY if chance < 0.6 else WET)

    def some(self, name, i, count):
        at, length = self.where[name][i]
        return cut(self.rng, self.rows[at:at + length], count).astype(np.float32)

    def background(self, count):
        kind = self.rng.choice(['noise', 'music', 'babble'], p=[0.5, 0.15, 0.35])
        rows = self.some(kind, self.rng.integers(len(self.where[kind])), count)
        return rows, self.rng.uniform(6 if kind == 'babble' else 0, 22)

    def batch(self, pairs, count):
        """Log-mel rows [2 * pairs, 40, count], a pair's pieces one after the other, and classes [2 * pairs]."""
        rng = self.rng
        # Half of a batch is of true voices: the others are many, and less like what will be heard.
        true, all_ = len(self.speakers), len(self.classes)
        drawn = np.concatenate([rng.choice(true, pairs // 2, replace=False), true + rng.choice(all_ - true, pairs - pairs // 2, replace=False)])
        speech = []
        for c in drawn:
            pieces, voice = self.classes[c]
            for i in rng.permutation(pieces)[:2] if len(pieces) > 1 else (pieces[0], pieces[0]):
                speech.append(self.some(self.version(voice), i, count))
        speech = np.stack(speech)
        noisy = np.flatnonzero(rng.random(len(speech)) < 0.65)
        noise, decibel = zip(*(self.background(count) for _ in noisy))
        speech[noisy] = over(speech[noisy], np.stack(noise), np.array(decibel, np.float32))
        return torch.from_numpy(speech).transpose(1, 2), torch.from_numpy(np.repeat(drawn, 2))


def over(speech, noise, decibel):
    """Rows of noise over rows of speech, both [batch, rows, 40], at a ratio [batch] of their powers."""
    level = lambda rows: np.log(np.exp(rows).sum(2).mean(1) + 1e-12)
    shift = level(speech) - level(noise) - decibel * np.float32(np.log(10) / 10)
    return np.logaddexp(speech, noise + shift[:, None, None].astype(np.float32))
