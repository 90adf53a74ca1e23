#!/usr/bin/env python3
"""How well voices are told apart. usage: evaluate.py DATA CHECKPOINT|baseline [val|dev]

DATA is what prepare.py made. Same-voice pairs are of different recordings only; the others are all pairs of two
people, and of these those of one sex and language. `baseline`: what the product compares voices by without a network.
"""

import sys
import zlib

import numpy as np
import torch

from features import RATE, log_mel
from network import as_shipped
from prepare import in_room
from sound import Pack, cut

NOISY_DECIBEL = 10.0


class Trials:
    """Pieces of one length of all speakers of a part, and which pairs of them are compared.

    A piece that is shorter is taken whole. `noisy`: each piece in its own room with its own noise, 10 dB below it;
    for val from sources that training never heard.
    """

    def __init__(self, pack, part, seconds, noisy=False):
        self.rows = [r for r in pack.pieces if r['part'] == part]
        others = pack.held if part == 'val' else pack.noises
        self.sounds = []
        for row in self.rows:
            rng = np.random.default_rng([zlib.crc32(row['id'].encode()), round(seconds * 100), noisy])
            piece = pack.piece(row)
            piece = cut(rng, piece, min(len(piece), round(seconds * RATE))).copy()
            self.sounds.append(self._spoilt(rng, pack, others, piece) if noisy else piece)
        field = lambda name: np.array([str(r[name]) for r in self.rows])
        a, b = np.triu_indices(len(self.rows), 1)
        speaker, recording, sex, language = field('speaker'), field('recording'), field('sex'), field('language')
        same, other = speaker[a] == speaker[b], speaker[a] != speaker[b]
        self.same = a[same & (recording[a] != recording[b])], b[same & (recording[a] != recording[b])]
        self.other = a[other], b[other]
        like = (sex[a] == sex[b]) & (sex[a] != 'None') & (language[a] == language[b])
        self.alike = like[other]
        self.seconds = np.array([len(s) / RATE for s in self.sounds])

    @staticmethod
    def _spoilt(rng, pack, others, piece):
        piece = in_room(piece, pack.other(others['rir'][rng.integers(len(others['rir']))]))
        noises = others[rng.choice(['noise', 'noise', 'noise', 'music'])]
        noise = cut(rng, pack.other(noises[rng.integers(len(noises))]), len(piece))
        level = lambda x: np.sqrt((x ** 2).mean()) + 1e-6
        return (piece + noise * (level(piece) / level(noise) * 10 ** (-NOISY_DECIBEL / 20))).astype(np.float32)

    def embeddings(self, network):
        with torch.no_grad():
            return torch.cat([network(log_mel(torch.from_numpy(s)[None])) for s in self.sounds]).numpy()

    def scores(self, network):
        """Cosines of same-voice pairs, and of others."""
        x = self.embeddings(network)
        cosine = lambda pairs: (x[pairs[0]] * x[pairs[1]]).sum(1)
        return cosine(self.same), cosine(self.other)


def equal_error_rate(same, other):
    """Where as many same-voice pairs lie below a threshold as others lie above."""
    values = np.concatenate([same, other])
    own = np.concatenate([np.ones(len(same)), np.zeros(len(other))])[np.argsort(values, kind='stable')]
    missed, passed = np.cumsum(own) / len(same), 1 - np.cumsum(1 - own) / len(other)
    at = np.abs(missed - passed).argmin()
    return (missed[at] + passed[at]) / 2


def cllr(same, other):
    """Cost of log-likelihood ratios in bits (Brümmer and du Preez, 2006): 0 for a perfect judge, 1 for one who says nothing."""
    return (np.logaddexp(0, -same).mean() + np.logaddexp(0, other).mean()) / 2 / np.log(2)


def least_cllr(same, other):
    """The cost after the best calibration that keeps the order: pool adjacent violators."""
    values = np.concatenate([same, other])
    own = np.concatenate([np.ones(len(same)), np.zeros(len(other))])
    weight = np.concatenate([np.full(len(same), 0.5 / len(same)), np.full(len(other), 0.5 / len(other))])
    order = np.lexsort((-own, values))
    pools = []
    for label, w in zip(own[order], weight[order]):
        pools.append([label * w, w, 1])
        while len(pools) > 1 and pools[-2][0] * pools[-1][1] >= pools[-1][0] * pools[-2][1]:
            last = pools.pop()
            pools[-1] = [x + y for x, y in zip(pools[-1], last)]
    with np.errstate(divide='ignore'):
        ratio = np.repeat([np.log(a) - np.log(max(b - a, 0)) for a, b, _ in pools], [n for *_, n in pools])
    own = own[order]
    return cllr(ratio[own == 1], ratio[own == 0])


def line(name, same, other, alike):
    return f'{name:<14} {100 * equal_error_rate(same, other):6.2f} {100 * equal_error_rate(same, other[alike]):6.2f} {least_cllr(same, other):6.3f}   {len(same)} {len(other)} {alike.sum()}'


def main(data, path, part='val'):
    torch.set_num_threads(1)
    pack, network = Pack(data), None if path == 'baseline' else as_shipped(path)
    print('                EER %   alike minCllr  pairs: same, other, alike')
    for noisy in (False, True):
        for seconds in (1.0, 1.5, 2.0, 3.0):
            trials = Trials(pack, part, seconds, noisy)
            if path == 'baseline':
                from baseline import scores
                same, other, alike = scores(trials)
            else:
                (same, other), alike = trials.scores(network), trials.alike
            print(line(f"{seconds} s {'noisy' if noisy else 'clean'}", same, other, alike), flush=True)


if __name__ == '__main__':
    if len(sys.argv) not in (3, 4): sys.exit(__doc__)
    main(*sys.argv[1:])
