"""Colour, light, blur, noise and compression as cameras and codecs do them."""

import cv2
import numpy as np

_noise = {}


def noise_of(side):
    """Gaussian noise of standard deviation 16, larger than the picture: drawing it anew for each would cost more."""
    if side not in _noise:
        field = np.random.default_rng(side).normal(0, 16, (side + 64, side + 64, 3))
        _noise[side] = field.astype(np.float32)
    return _noise[side]


def light(rng, image):
    """Contrast, gamma, tint; now and then a dark room, an unlit half or a counter light, with noise."""
    dark = rng.random() < 0.3
    gain = rng.uniform(0.15, 0.6) if dark else rng.uniform(0.6, 1.4)
    table = (np.arange(256) / 255) ** rng.uniform(0.6, 1.6) * 255 * gain + (0 if dark else rng.uniform(-25, 25))
    tint = (table[:, None] * (1 + rng.uniform(-0.18, 0.18, 3))).clip(0, 255).astype(np.uint8)
    image = cv2.LUT(image, tint[None])
    if rng.random() < 0.2:  # from one side
        ramp = np.linspace(rng.uniform(0.2, 1), rng.uniform(0.8, 1.3), image.shape[1], dtype=np.float32)
        ramp = ramp[:: rng.choice((-1, 1))][None, :, None]
        image = cv2.convertScaleAbs(image * ramp)
    if dark:
        side = image.shape[0]
        x, y = rng.integers(0, 64, 2)
        part = noise_of(side)[y : y + side, x : x + side]
        image = cv2.scaleAdd(part, float(rng.uniform(0.1, 0.7)), image.astype(np.float32)).clip(0, 255).astype(np.uint8)
    return image


def soften(rng, image):
    """Out of focus, moved, or enlarged from a small source."""
    kind = rng.integers(3)
    if kind == 0:
        return cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 2.2)))
    if kind == 1:  # the camera or the head moves
        n = int(rng.integers(3, 12))
        kernel = np.zeros((n, n), np.float32)
        cv2.line(kernel, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), 1.0)
        return cv2.filter2D(image, -1, kernel / kernel.sum())
    small = float(rng.uniform(0.35, 0.8))
    return cv2.resize(cv2.resize(image, None, fx=small, fy=small, interpolation=cv2.INTER_AREA), image.shape[1::-1])


def compress(rng, image):
    kind, name, least = ((cv2.IMWRITE_JPEG_QUALITY, '.jpg', 8), (cv2.IMWRITE_WEBP_QUALITY, '.webp', 3))[
        int(rng.random() < 0.15)
    ]
    _, data = cv2.imencode(name, image, [kind, int(rng.integers(least, 60))])
    return cv2.imdecode(data, cv2.IMREAD_COLOR)


def recolour(rng, image):
    if rng.random() < 0.3:
        image = light(rng, image)
    if rng.random() < 0.1:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.16:
        image = soften(rng, image)
    if rng.random() < 0.12:
        image = compress(rng, image)
    return image
