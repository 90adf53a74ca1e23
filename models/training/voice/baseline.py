"""What the product compared voices by before it had a network: Gaussians of cepstral coefficients (Chen and Gopalakrishnan, 1998)."""

import importlib.util
import os

import numpy as np

SIZE = 12
FREE = SIZE + SIZE * (SIZE + 1) / 2


def _cepstrum():
    """`features` of ../speaker/sound.py, which has the name of a file beside this one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'speaker', 'sound.py')
    spec = importlib.util.spec_from_file_location('speaker_sound', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.features


_features = _cepstrum()


def _moments(sound):
    rows = np.clip(np.round(_features(np.round(sound * 32768))[:, 1:].astype(np.float64)), -127, 127)
    return len(rows), rows.sum(0), rows.T @ rows


def _log_spread(count, sums, products, spread):
    mean = sums / count[:, None]
    covariance = products / count[:, None, None] - mean[:, :, None] * mean[:, None, :]
    return np.linalg.slogdet(covariance / (spread[:, :, None] * spread[:, None, :]) + 0.1 * np.eye(SIZE))[1]


def scores(trials, most=40_000):
    """Scores of same-voice pairs, of others (at most so many), and which of the others are of one sex and language."""
    count, sums, products = (np.array(x) for x in zip(*(_moments(s) for s in trials.sounds)))
    every = max(1, len(trials.other[0]) // most)

    def of(a, b):
        na, nb = count[a], count[b]
        both = na + nb, sums[a] + sums[b], products[a] + products[b]
        spread = np.sqrt(np.maximum(1e-6, np.diagonal(both[2], axis1=1, axis2=2) / both[0][:, None] - (both[1] / both[0][:, None]) ** 2))
        gain = both[0] * _log_spread(*both, spread)
        for i, n in ((a, na), (b, nb)):
            gain = gain - n * _log_spread(n, sums[i], products[i], spread)
        rows = np.minimum(200, 2 * na * nb / (na + nb))
        middle, half = 0.8 + (rows - 40) * 0.0034, np.maximum(0.08, 0.12 + (rows - 40) * 0.00225)
        return (middle - gain / (FREE * np.log(na + nb))) / half

    return of(*trials.same), of(trials.other[0][::every], trials.other[1][::every]), trials.alike[::every]
