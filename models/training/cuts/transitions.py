"""How one shot becomes the next: mixes of two runs of thumbnails, and which frames count as what."""

import math

import numpy as np

from shots import HEIGHT, WIDTH

_x, _y = np.meshgrid((np.arange(WIDTH) + 0.5) / WIDTH, (np.arange(HEIGHT) + 0.5) / HEIGHT)

# Lengths in mixed frames. 11-12, 23-26 and 37 and more are left to the test set.
LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16, 18, 20, 22, 27, 30, 33, 36]
KINDS = {
    "hard": 0.60,
    "blend": 0.06,
    "dissolve": 0.12,
    "fade": 0.07,
    "wipe": 0.06,
    "push": 0.03,
    "flash": 0.03,
    "gap": 0.03,
}


def length_of(rng, kind):
    """Mixed frames of a transition; a hard cut has none."""
    if kind == "hard":
        return 0
    if kind == "blend":
        return rng.choice([1, 2], p=[0.8, 0.2])
    if kind == "flash":
        return rng.integers(1, 5)
    if kind == "gap":
        return rng.integers(2, 30)
    return int(rng.choice(LENGTHS[2:] if kind == "fade" else LENGTHS))


def _order(rng):
    """The moment, 0 to 1, at which each pixel of a wipe changes."""
    kind = rng.choice(["across", "down", "iris", "clock", "blinds", "box"])
    if kind == "across":
        order = _x + rng.choice([0, rng.normal(0, 0.3)]) * (_y - 0.5)
    elif kind == "down":
        order = _y.copy()
    elif kind == "iris":
        order = np.hypot((_x - 0.5) * 16 / 9, _y - 0.5)
    elif kind == "box":
        order = np.maximum(np.abs(_x - 0.5), np.abs(_y - 0.5))
    elif kind == "clock":
        order = np.arctan2(_y - 0.5, _x - 0.5) / (2 * math.pi)
    else:
        order = (rng.choice([_x, _y]) * rng.integers(4, 9)) % 1.0
    order = (order - order.min()) / (order.max() - order.min())
    return 1 - order if rng.random() < 0.5 else order


def mix(rng, kind, old, fresh):
    """
    The mixed frames of a transition.

    old, fresh: `[length, 27, 48, 3]`, what both shots show meanwhile. Returns the frames and, for each, whether
    it counts as a transition (1), not (0), or is not judged (-1).
    """
    length = len(old)
    if length == 0:
        return old, np.zeros(0)
    share = (np.arange(length) + 1) / (length + 1)
    if kind == "blend":
        # The shares of a blended frame are anything; nearly pure ones are not judged by their neighbours.
        share = np.sort(rng.uniform(0.15, 0.85, length))
    elif kind in ("dissolve", "fade") and rng.random() < 0.3:
        share = 0.5 - 0.5 * np.cos(math.pi * share)
    weight = share[:, None, None, None].astype(np.float32)
    if kind in ("blend", "dissolve"):
        if kind == "dissolve" and rng.random() < 0.2:
            # Mixed in linear light.
            frames = 255 * np.sqrt((1 - weight) * (old / 255) ** 2 + weight * (fresh / 255) ** 2)
        else:
            frames = (1 - weight) * old + weight * fresh
        return frames, np.full(length, -1.0 if kind == "blend" else 1.0)
    if kind == "fade":
        plain = rng.choice([0, 0, 0, 255, rng.uniform(0, 255)])
        hold = rng.uniform(0, 0.4)
        out = np.clip(1 - 2 * weight / (1 - hold), 0, 1)
        back = np.clip((2 * weight - 1 - hold) / (1 - hold), 0, 1)
        return out * old + back * fresh + (1 - out - back) * plain, np.ones(length)
    if kind == "flash":
        light = rng.choice([255, 255, 0])
        strong = rng.uniform(0.7, 1.0)
        picked = np.where(weight < rng.choice([0.3, 0.5]), old, fresh)
        return strong * light + (1 - strong) * picked, np.full(length, -1.0)
    if kind == "gap":
        plain = np.full(3, rng.choice([0, 0, 0, 255, rng.uniform(0, 255)]))
        return np.broadcast_to(plain, old.shape).astype(np.float32), np.zeros(length)
    if kind == "push":
        way = rng.integers(4)
        frames = np.empty_like(old)
        covers = rng.random() < 0.4
        for i, part in enumerate(share):
            side, size = (2, WIDTH) if way < 2 else (1, HEIGHT)
            shift = int(round(part * size))
            a, b = old[i], fresh[i]
            axis = side - 1
            if way % 2 == 0:
                kept = np.take(a, range(shift, size), axis) if not covers else np.take(a, range(0, size - shift), axis)
                frames[i] = np.concatenate([kept, np.take(b, range(0, shift), axis)], axis)
            else:
                kept = np.take(a, range(0, size - shift), axis) if not covers else np.take(a, range(shift, size), axis)
                frames[i] = np.concatenate([np.take(b, range(size - shift, size), axis), kept], axis)
        return frames, np.ones(length)
    order = _order(rng)
    soft = rng.choice([0.02, 0.05, 0.2])
    edge = share[:, None, None] * (1 + 2 * soft) - soft
    cover = np.clip((edge - order[None]) / soft + 0.5, 0, 1)[..., None].astype(np.float32)
    return (1 - cover) * old + cover * fresh, np.ones(length)
