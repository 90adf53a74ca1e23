"""What happens in a video that is no cut: light, graphics, noise, and odd timing."""

import math

import cv2
import numpy as np

from shots import CANVAS, HEIGHT, WIDTH, shrink

_x, _y = np.meshgrid(np.linspace(-1, 1, WIDTH), np.linspace(-1, 1, HEIGHT))


def flashes(rng, frames):
    """Photographers' flashes and lightning: one to eight frames, whole picture or from one side."""
    for _ in range(rng.integers(1, 7)):
        start = rng.integers(0, len(frames))
        length = rng.choice([1, 1, 2, 2, 3, 4, 6, 8])
        colour = np.float32(255) * (1 if rng.random() < 0.7 else rng.uniform(0.3, 1, 3).astype(np.float32))
        cover = 1 if rng.random() < 0.6 else np.clip(0.5 + rng.normal(0, 1) * _x + rng.normal(0, 1) * _y, 0, 1)
        strong = rng.uniform(0.3, 1.0)
        for i in range(start, min(len(frames), start + length)):
            weight = np.float32(strong) * np.float32(cover)
            weight = weight[..., None] if np.ndim(weight) else weight
            frames[i] = (1 - weight) * frames[i] + weight * colour
            strong *= rng.uniform(0.5, 1.0)


def strobe(rng, frames):
    """Stage lights and police cars: light that comes and goes quickly, whole or in halves."""
    start, length = rng.integers(0, len(frames)), rng.integers(12, 120)
    period = rng.integers(2, 10)
    low = rng.uniform(0, 0.6)
    colours = [np.ones(3), np.ones(3)] if rng.random() < 0.5 else [rng.uniform(0.1, 1.5, 3), rng.uniform(0.1, 1.5, 3)]
    halves = rng.random() < 0.4
    for i in range(start, min(len(frames), start + length)):
        on = (i // max(1, period // 2)) % 2
        gain = np.where(on, colours[0], low * colours[1]).astype(np.float32)
        if halves:
            side = (_x > 0)[..., None]
            other = np.where(on, low * colours[1], colours[0]).astype(np.float32)
            frames[i] *= np.where(side, gain, other)
        else:
            frames[i] *= gain


def exposure(rng, frames):
    """Automatic exposure, lamps, clouds: the light steps or slides to another level, sometimes with its colour."""
    for _ in range(rng.integers(1, 4)):
        start = rng.integers(0, len(frames))
        slide = rng.choice([1, 1, 2, 4, 10, 25])
        gain = 2 ** rng.uniform(-1.3, 1.3) * (1 if rng.random() < 0.6 else 2 ** rng.normal(0, 0.3, 3))
        share = np.clip((np.arange(len(frames)) - start + 1) / slide, 0, 1)[:, None, None, None]
        if rng.random() < 0.4:
            share *= np.arange(len(frames))[:, None, None, None] < start + rng.integers(5, 60)
        frames *= (1 + share * (np.broadcast_to(gain, 3) - 1)).astype(np.float32)
    if rng.random() < 0.15:
        # A look that is switched: black and white from here on.
        start = rng.integers(0, len(frames))
        frames[start:] = frames[start:].mean(3, keepdims=True)


def _graphic(rng, kind):
    """A graphic on the canvas: colours `[54, 96, 3]` and cover `[54, 96]`."""
    colours = np.zeros((CANVAS[1], CANVAS[0], 3), np.float32)
    cover = np.zeros((CANVAS[1], CANVAS[0]), np.float32)

    def bar(x, y, w, h, opacity):
        colours[y : y + h, x : x + w] = rng.choice([rng.uniform(0, 255, 3), np.full(3, 255.0), np.full(3, 10.0)])
        cover[y : y + h, x : x + w] = opacity

    def text(x, y, w, h):
        letters = (rng.random((max(1, h), max(1, w))) < 0.5).astype(np.float32)
        colours[y : y + h, x : x + w] = rng.choice([np.full(3, 255.0), np.array([255.0, 230, 60]), np.full(3, 15.0)])
        held = cover[y : y + h, x : x + w]
        cover[y : y + h, x : x + w] = np.maximum(held, letters[: held.shape[0], : held.shape[1]])

    if kind == "lower":
        y = rng.integers(34, 46)
        w, h = rng.integers(24, 96), rng.integers(5, 12)
        x = rng.choice([0, 4, 96 - w])
        bar(x, y, w, h, rng.uniform(0.6, 1))
        text(x + 2, y + 2, max(2, w - 8), max(1, h - 4))
    elif kind == "subtitle":
        for line in range(rng.integers(1, 3)):
            w = rng.integers(16, 80)
            text((96 - w) // 2, 46 - 5 * line, w, 3)
    elif kind == "title":
        w, h = rng.integers(30, 90), rng.integers(6, 22)
        text((96 - w) // 2, rng.integers(4, 50 - h), w, h)
        if rng.random() < 0.3:
            cover[:] = np.maximum(cover, rng.uniform(0.2, 0.5))
    elif kind == "panel":
        w, h = rng.integers(16, 52), rng.integers(20, 54)
        bar(rng.choice([0, 96 - w]), rng.integers(0, 55 - h), w, h, rng.uniform(0.7, 1))
    else:
        w, h = rng.integers(5, 14), rng.integers(4, 10)
        bar(rng.choice([3, 93 - w]), rng.choice([2, 50 - h]), w, h, rng.uniform(0.5, 1))
    return colours, cover


def graphics(rng, frames):
    """Captions, titles, panels and logos that pop in, fade in or slide in, and stay across cuts."""
    for _ in range(rng.integers(1, 6)):
        kind = rng.choice(["lower", "subtitle", "title", "panel", "logo"], p=[0.28, 0.32, 0.15, 0.13, 0.12])
        colours, cover = _graphic(rng, kind)
        start = rng.integers(-40, len(frames))
        end = start + rng.integers(8, 120)
        slide = rng.choice([0, 0, 0, 3, 6, 12, 20])
        slides = rng.random() < 0.6
        way = rng.integers(4)
        resting = None
        for i in range(max(0, start), min(len(frames), end)):
            part = 1.0 if slide == 0 else min(1.0, (i - start + 1) / slide, (end - i) / slide)
            if part == 1.0 and resting is not None:
                shown, tint = resting
            else:
                hide = 1 - part if slides else 0
                dx = hide * CANVAS[0] * (way == 0) - hide * CANVAS[0] * (way == 1)
                dy = hide * CANVAS[1] * (way >= 2)
                matrix = np.array([[1, 0, dx], [0, 1, dy]])
                premultiplied = np.dstack([colours * cover[..., None], cover])
                if hide:
                    premultiplied = cv2.warpAffine(premultiplied, matrix, CANVAS)
                small = shrink(premultiplied)
                if not slides:
                    small = small * part
                tint, shown = small[..., :3], small[..., 3:]
                if part == 1.0:
                    resting = (shown, tint)
            frames[i] = (1 - shown) * frames[i] + tint


def darken(rng, frames):
    """A film at night: hardly any light, and the noise of it."""
    frames *= np.float32(10 ** rng.uniform(-1, -0.4))
    frames += np.float32(rng.uniform(0, 16))
    frames += rng.normal(0, rng.uniform(0.2, 1.0), frames.shape).astype(np.float32)


def noise(rng, frames):
    """Grain that survives averaging, the slow pulse of key frames, and blur that comes and goes with the bit rate."""
    if rng.random() < 0.7:
        frames += rng.normal(0, 10 ** rng.uniform(-1, 0.5), frames.shape).astype(np.float32)
    if rng.random() < 0.4:
        period = rng.integers(6, 60)
        for i in range(rng.integers(0, period), len(frames), period):
            shift = cv2.resize(rng.normal(0, rng.uniform(0.5, 3), (5, 8, 3)).astype(np.float32), (WIDTH, HEIGHT))
            frames[i : i + period] += shift
    if rng.random() < 0.3:
        start = rng.integers(0, len(frames))
        for i in range(start, min(len(frames), start + rng.integers(3, 40))):
            frames[i] = cv2.GaussianBlur(frames[i], (0, 0), 0.8)


def letterbox(rng, frames):
    """Bars above and below, or at the sides, plain or blurred."""
    bar = rng.integers(2, 6)
    if rng.random() < 0.6:
        frames[:, :bar] = 0
        frames[:, HEIGHT - bar :] = 0
        return
    side = rng.integers(4, 16)
    middle = frames[:, :, side : WIDTH - side].copy()
    blurs = rng.random() < 0.5
    for i in range(len(frames)):
        frames[i] = cv2.GaussianBlur(frames[i], (0, 0), 3) * 0.5 if blurs else 0
    frames[:, :, side : WIDTH - side] = middle


def timing(rng, count):
    """
    Which source frames are shown, as positions that may lie between frames (those are blended): repeats of
    24 in 30 or 60, dropped and frozen frames, and converted rates.
    """
    kind = rng.choice(["repeat", "double", "pulldown", "drops", "freeze", "convert"])
    at = np.arange(count, dtype=np.float64)
    if kind == "repeat":
        return np.floor(at * (1 - 1 / rng.integers(3, 8)))
    if kind == "double":
        return np.floor(at / 2)
    if kind == "pulldown":
        return np.floor(at * 0.4)
    if kind == "convert":
        return at * rng.choice([24 / 25, 25 / 30, 24 / 30, 25 / 29.97])
    steps = np.ones(count)
    if kind == "drops":
        steps[rng.random(count) < 0.08] = rng.integers(2, 4)
        return np.cumsum(steps) - 1
    for _ in range(rng.integers(1, 5)):
        start, length = rng.integers(0, count), rng.integers(2, 8)
        steps[start : start + length] = 0
        if start + length < count:
            steps[start + length] = length + 1 if rng.random() < 0.7 else 1
    return np.cumsum(steps) - steps[0]
