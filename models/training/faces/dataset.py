"""Pictures and labels in memory, and the batches made from them.

The folder holds `labels.jsonl` and `images/` in the layout that README.md describes.
"""

import json
import os
import sys

import cv2
import numpy as np
import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from split import is_training_row  # noqa: E402,F401 (train.py takes it from here)

PAD = 114
# How often a picture of a source is drawn. Masked faces are a third of the boxes but rare in talking video.
SOURCE_WEIGHT = {'maskcc0': 0.4, 'maskedface_ffhq': 0.25, 'helmets': 0.4, 'human_samples': 2.0, 'mediapipe': 2.0,
                 'misc_photos': 2.0, 'faceapi': 1.5, 'video': 2.0, 'wider': 1.2}
NEGATIVE_WEIGHT = {'neg': 0.8, 'hardneg': 2.0, 'negcrop': 1.0, 'ignore_only': 0.3}


def read_rows(folder, keep):
    with open(os.path.join(folder, 'labels.jsonl'), encoding='utf-8') as file:
        return [row for row in map(json.loads, file) if keep(row)]


class Picture:
    """A decoded picture, faces [M, 16] (x1 y1 x2 y2, points, score, weight of landmarks), ignore [K, 4]; pixels."""

    def __init__(self, folder, row):
        self.row = row
        self.image = cv2.imread(os.path.join(folder, row['file']))
        if self.image is None:
            raise FileNotFoundError(f"{row['file']} is named in labels.jsonl and cannot be read")
        h, w = self.image.shape[:2]
        faces, ignore = [], []
        for b in row['boxes']:
            box = [b['x'] * w, b['y'] * h, (b['x'] + b['w']) * w, (b['y'] + b['h']) * h]
            if b['ignore']:
                ignore.append(box)
                continue
            points = np.array(b['landmarks'] or np.zeros((5, 2)), float) * (w, h)
            faces.append([*box, *points.ravel(), min(1.0, b['score'] / 0.85), float(bool(b['landmarks']))])
        self.faces = np.array(faces, np.float32).reshape(-1, 16)
        self.ignore = np.array(ignore, np.float32).reshape(-1, 4)
        self.weight = SOURCE_WEIGHT.get(row['source'], 1.0) * NEGATIVE_WEIGHT.get(row['kind'], 1.0)


def place(rng, picture, canvas, area, largest, calm):
    """Draws a random view of a picture into `area` (x1 y1 x2 y2) of the canvas; gives its faces and ignore boxes.

    largest: share of the area's shorter side that a face may take; calm: without rotation.
    """
    x1, y1, x2, y2 = area
    wide, high = x2 - x1, y2 - y1
    image = picture.image
    h, w = image.shape[:2]
    # Between all of the picture and all of its place covered.
    whole, cover = sorted((wide / w, high / h))
    fit = whole * (cover / whole) ** rng.random()
    # Enlarged views of anything: pictures smaller than the network's input are common and their textures fool it.
    scale = min(fit * np.exp(rng.uniform(-0.35, 1.1)), max(2.2, fit))
    pivot = rng.uniform(0, 1, 2) * (w, h)
    middle = rng.uniform(0, 1, 2) * (wide, high)
    tight = 1.0
    if len(picture.faces) and rng.random() < 0.65:
        # Pick a face and the size at which it is wanted: sizes spread evenly over their logarithm.
        f = picture.faces[rng.integers(len(picture.faces))]
        size = max(f[2] - f[0], f[3] - f[1])
        most = max(20, min(wide, high) * largest)
        wanted = np.exp(rng.uniform(np.log(9), np.log(most))) if rng.random() < 0.65 else rng.uniform(0.3, 1) * most
        scale = np.clip(wanted / size, 0.5 * fit, 2.6)
        pivot = np.array([f[0] + f[2], f[1] + f[3]]) / 2
        middle = rng.uniform(0.12, 0.88, 2) * (wide, high)
        tight = 0.75
    flip = rng.random() < 0.5
    # Where the picture is larger than its place, uncovered grey is the exception.
    if rng.random() < tight:
        for k, (inner, outer) in enumerate(((w, wide), (h, high))):
            before = inner - pivot[k] if flip and k == 0 else pivot[k]
            ends = outer - (inner - before) * scale, before * scale
            middle[k] = np.clip(middle[k], min(ends), max(ends))
    angle = 0.0
    if not calm and rng.random() < 0.35:
        angle = np.deg2rad(rng.normal(0, 12) if rng.random() < 0.85 else rng.uniform(-60, 60))
    aspect = np.exp(rng.normal(0, 0.06))
    # Shrinking far in one step would alias.
    while scale * w / image.shape[1] < 0.6:
        image = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    factor = np.array([image.shape[1] / w, image.shape[0] / h])
    sx, sy = scale * aspect * (-1 if flip else 1), scale / aspect
    c, s = np.cos(angle), np.sin(angle)
    linear = np.array([[c, -s], [s, c]]) @ np.diag([sx, sy])
    shift = middle - linear @ pivot
    matrix = np.column_stack((linear @ np.diag(1 / factor), shift)).astype(np.float32)
    mode = cv2.INTER_LINEAR if rng.random() < 0.8 else cv2.INTER_CUBIC
    view = cv2.warpAffine(image, matrix, (wide, high), flags=mode, borderValue=(PAD, PAD, PAD))
    canvas[y1:y2, x1:x2] = view

    def boxes(b):
        middle_ = (b[:, :2] + b[:, 2:4]) / 2 @ linear.T + shift
        half = (b[:, 2:4] - b[:, :2]) / 2 * np.abs((sx, sy))
        # The box of a turned ellipse: the box of the turned box would be too large.
        turned = np.sqrt(half**2 @ np.array([[c * c, s * s], [s * s, c * c]]))
        return np.concatenate((middle_ - turned, middle_ + turned), 1)

    faces = picture.faces.copy()
    ignore = boxes(picture.ignore)
    if len(faces):
        faces[:, :4] = boxes(faces)
        points = (faces[:, 4:14].reshape(-1, 2) @ linear.T + shift).reshape(-1, 5, 2)
        if flip:
            points = points[:, [1, 0, 2, 4, 3]]
        faces[:, 4:14] = points.reshape(-1, 10)
        clipped = faces[:, :4].clip(0, [wide, high, wide, high])
        full = (faces[:, 2:4] - faces[:, :2]).prod(1)
        seen = (clipped[:, 2:] - clipped[:, :2]).clip(0).prod(1) / (full + 1e-6)
        side = (clipped[:, 2:] - clipped[:, :2]).max(1)
        shown = (seen >= 0.45) & (side >= 5)
        partly = ~shown & (seen > 0.02)
        ignore = np.concatenate((ignore, clipped[partly]))
        faces[:, :4] = clipped
        faces = faces[shown]
    offset = np.array([x1, y1])
    faces[:, :14] += np.tile(offset, 7)
    ignore = (ignore.clip(0, [wide, high, wide, high]) + np.tile(offset, 2)).astype(np.float32)
    keep = (ignore[:, 2:] - ignore[:, :2]).min(1, initial=1e9) > 1 if len(ignore) else np.zeros(0, bool)
    return faces, ignore[keep]


def hide_part(rng, image, faces):
    """Covers a third of a face at most: hands, microphones, captions. The face still counts."""
    for f in faces:
        if rng.random() > 0.12:
            continue
        w, h = f[2] - f[0], f[3] - f[1]
        cw, ch = (w * rng.uniform(0.25, 1), h * rng.uniform(0.1, 0.33))
        if rng.random() < 0.5:
            cw, ch = w * rng.uniform(0.1, 0.33), h * rng.uniform(0.25, 1)
        x, y = f[0] + rng.uniform(-0.1, 1.1) * w - cw / 2, f[1] + rng.uniform(-0.1, 1.1) * h - ch / 2
        x1, y1, x2, y2 = (int(max(0, v)) for v in (x, y, x + cw, y + ch))
        part = image[y1:y2, x1:x2]
        if not part.size:
            continue
        if rng.random() < 0.5:
            part[:] = rng.integers(0, 256, 3)
        else:  # a piece of the same picture
            sy, sx = (rng.integers(0, max(1, n - m + 1)) for n, m in zip(image.shape[:2], part.shape[:2]))
            part[:] = image[sy : sy + part.shape[0], sx : sx + part.shape[1]]


LETTERS = np.array(list('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789OOCGDQ08eaosg.,:;!?&@#%+()[]'))
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX,
         cv2.FONT_HERSHEY_SCRIPT_COMPLEX)


def write(rng, image, faces):
    """Captions, signs and round or square shapes beside the faces: outlines and letters pass for faces too easily."""
    side = image.shape[0]
    for _ in range(rng.integers(1, 5)):
        # cv2 letters of scale 1 are about 22 pixels high.
        high = np.exp(rng.uniform(np.log(8), np.log(90)))
        text = ''.join(rng.choice(LETTERS, rng.integers(1, 2 + int(160 / high))))
        font, thick = FONTS[rng.integers(len(FONTS))], int(max(1, high * rng.uniform(0.04, 0.3)))
        (w, h), _ = cv2.getTextSize(text, font, high / 22, thick)
        x, y = int(rng.uniform(-0.2 * w, side - 0.5 * w)), int(rng.uniform(h, side))
        area = np.array([x - 4, y - h - 6, x + w + 4, y + 6])
        if len(faces) and ((np.minimum(faces[:, 2:4], area[2:]) - np.maximum(faces[:, :2], area[:2])).min(1) > 0).any():
            continue
        ink, ground = (tuple(int(v) for v in rng.integers(0, 256, 3)) for _ in range(2))
        if rng.random() < 0.4:
            cv2.rectangle(image, tuple(int(v) for v in area[:2]), tuple(int(v) for v in area[2:]), ground, -1)
        if rng.random() < 0.25:
            axes = int(h * rng.uniform(0.4, 0.8)), int(h * rng.uniform(0.4, 0.8))
            cv2.ellipse(image, (x + w // 2, y - h // 2), axes, 0, 0, 360, ink, -1 if rng.random() < 0.5 else thick, cv2.LINE_AA)
        else:
            cv2.putText(image, text, (x, y), font, high / 22, ink, thick, cv2.LINE_AA)


def recolour(rng, image):
    """Colour, light, blur, noise and compression as cameras and codecs do them."""
    if rng.random() < 0.7:
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV)
        gain = 1 + rng.uniform(-1, 1, 3) * (0.02, 0.6, 0.4)
        ramp = np.arange(256)
        tables = [(ramp * gain[0] + rng.uniform(-4, 4)) % 180, (ramp * gain[1]).clip(0, 255), (ramp * gain[2]).clip(0, 255)]
        image = cv2.cvtColor(cv2.merge([cv2.LUT(p, t.astype(np.uint8)) for p, t in zip(cv2.split(hsv), tables)]), cv2.COLOR_HSV2BGR)
    if rng.random() < 0.25:  # contrast and gamma, now and then a dark room
        dark = rng.random() < 0.25
        gain = rng.uniform(0.3, 0.6) if dark else rng.uniform(0.6, 1.4)
        gamma = rng.uniform(0.7, 1.5)
        table = (255 * (np.arange(256) / 255) ** gamma * gain + (0 if dark else rng.uniform(-25, 25))).clip(0, 255)
        tint = table[:, None] * (1 + rng.uniform(-0.15, 0.15, 3))
        image = cv2.merge([cv2.LUT(p, tint[:, i].clip(0, 255).astype(np.uint8)) for i, p in enumerate(cv2.split(image))])
        if dark:
            noise = np.empty(image.shape, np.int16)
            cv2.randn(noise, 0, float(rng.uniform(2, 10)))
            image = cv2.add(image, noise, dtype=cv2.CV_8U)
    if rng.random() < 0.1:
        image = cv2.cvtColor(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    chance = rng.random()
    if chance < 0.06:
        image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 1.6)))
    elif chance < 0.1:  # the camera or the head moves
        n = int(rng.integers(3, 9))
        kernel = np.zeros((n, n), np.float32)
        cv2.line(kernel, (0, int(rng.integers(n))), (n - 1, int(rng.integers(n))), 1.0)
        image = cv2.filter2D(image, -1, kernel / kernel.sum())
    elif chance < 0.14:  # soft source, enlarged
        small = float(rng.uniform(0.4, 0.8))
        image = cv2.resize(cv2.resize(image, None, fx=small, fy=small, interpolation=cv2.INTER_AREA), image.shape[1::-1])
    if rng.random() < 0.2:
        _, data = cv2.imencode('.jpg', image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(20, 80))])
        image = cv2.imdecode(data, cv2.IMREAD_COLOR)
    return image


class Batches(torch.utils.data.IterableDataset):
    """Endless batches (uint8 RGB [B, 3, S, S], targets).

    sizes: (side, batch, share) triples, one drawn per batch. `mosaic` is the share of pictures put together
    from four, `calm` the share without rotation, cover or change of colour; both lie in shared memory, so that
    training can change them while workers run.
    """

    def __init__(self, pictures, sizes, seed, mosaic, calm):
        self.pictures, self.sizes, self.seed, self.mosaic, self.calm = pictures, sizes, seed, mosaic, calm
        weight = np.array([p.weight for p in pictures])
        self.share = np.cumsum(weight / weight.sum())

    def sample(self, rng, side):
        pick = lambda: self.pictures[min(np.searchsorted(self.share, rng.random()), len(self.pictures) - 1)]
        canvas = np.full((side, side, 3), PAD, np.uint8)
        if rng.random() < float(self.mosaic):
            cx, cy = (rng.uniform(0.3, 0.7, 2) * side).astype(int)
            areas = ((0, 0, cx, cy), (cx, 0, side, cy), (0, cy, cx, side), (cx, cy, side, side))
        else:
            areas = ((0, 0, side, side),)
        calm = rng.random() < float(self.calm)
        parts = [place(rng, pick(), canvas, area, 0.9, calm) for area in areas]
        faces, ignore = (np.concatenate([p[i] for p in parts]) for i in range(2))
        if rng.random() < 0.2:
            write(rng, canvas, np.concatenate((faces[:, :4], ignore)))
        image = canvas
        if not calm:
            hide_part(rng, canvas, faces)
            image = recolour(rng, canvas)
        return image[:, :, ::-1].transpose(2, 0, 1), torch.from_numpy(faces), torch.from_numpy(ignore)

    def __iter__(self):
        cv2.setNumThreads(1)
        torch.set_num_threads(1)
        rng = np.random.default_rng(self.seed)
        share = np.array([s[2] for s in self.sizes], float)
        while True:
            side, batch, _ = self.sizes[rng.choice(len(self.sizes), p=share / share.sum())]
            samples = [self.sample(rng, side) for _ in range(batch)]
            images = torch.from_numpy(np.stack([s[0] for s in samples]))
            yield images, [(s[1].float(), s[2].float()) for s in samples]
