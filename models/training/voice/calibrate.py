#!/usr/bin/env python3
"""Turns cosines into log-likelihood ratios. usage: calibrate.py DATA CHECKPOINT

Logistic regression, both kinds of pairs of the same weight, on dev speakers (not trained on): pieces of 0.7-3.4 s,
clean and noisy. The ratio is (c0 + c1 u) cosine + c2 + c3 u with u = 1/secondsA + 1/secondsB: what is unsure in an
embedding goes with one over its seconds. Prints c for src/core/voice-likelihood.ts, and what it costs on val.
"""

import sys

import numpy as np
import torch
from scipy.optimize import minimize

from evaluate import Trials, cllr, equal_error_rate, least_cllr
from network import as_shipped
from sound import Pack

LENGTHS_SEC = (0.7, 1.0, 1.4, 1.9, 2.5, 3.4)
LEAST_SEC, MOST_SEC = 0.7, 3.5  # lengths beyond were not seen and count as these


def pairs_of(pack, part, network, lengths, noisy):
    """Cosine and u of same-voice and other pairs, any of the lengths on either side."""
    sets = [Trials(pack, part, seconds, noisy) for seconds in lengths]
    x = [t.embeddings(network) for t in sets]
    out = []
    for a, b in (sets[0].same, sets[0].other):
        rows = []
        for i, first in enumerate(sets):
            for j, second in enumerate(sets):
                u = sum(1 / np.clip(seconds, LEAST_SEC, MOST_SEC) for seconds in (first.seconds[a], second.seconds[b]))
                rows.append(np.stack([(x[i][a] * x[j][b]).sum(1), u]))
        out.append(np.concatenate(rows, 1))
    return out


def ratios(c, pairs):
    cosine, u = pairs
    return (c[0] + c[1] * u) * cosine + c[2] + c[3] * u


def main(data, path):
    torch.set_num_threads(1)
    pack, network = Pack(data), as_shipped(path)
    dev = [pairs_of(pack, 'dev', network, LENGTHS_SEC, noisy) for noisy in (False, True)]
    same, other = (np.concatenate([d[k] for d in dev], 1) for k in (0, 1))
    fit = minimize(lambda c: cllr(ratios(c, same), ratios(c, other)), np.array([10.0, 0.0, -3.0, 0.0]), method='L-BFGS-B')
    print('c =', np.round(fit.x, 4).tolist(), f'dev Cllr {fit.fun:.3f}, minCllr {least_cllr(ratios(fit.x, same), ratios(fit.x, other)):.3f}')
    for noisy in (False, True):
        for lengths in ((1.0,), (1.5,), (2.0,), (3.0,), (1.0, 3.0)):
            s, o = (ratios(fit.x, pairs) for pairs in pairs_of(pack, 'val', network, lengths, noisy))
            print(f"val {lengths} s {'noisy' if noisy else 'clean'}: EER {100 * equal_error_rate(s, o):.2f} %, Cllr {cllr(s, o):.3f}, minCllr {least_cllr(s, o):.3f}", flush=True)


if __name__ == '__main__':
    if len(sys.argv) != 3: sys.exit(__doc__)
    main(*sys.argv[1:])
