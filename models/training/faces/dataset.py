"""Pictures and labels in memory, and the batches made from them.

The folder holds `labels.jsonl` and `images/` in the layout that README.md describes.
"""

import json
import os
import sys

import cv2
import numpy as np
import torch

from occlude import occlude, turn, write
from recolour import recolour

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from split import is_training_row  # noqa: E402,F401 (train.py takes it from here)

PAD = 114
# How often a picture of a source is drawn. Masked faces are many but rare in talking video; the web faces are portraits
# of one period, and the street fashion shows one small face in each picture.
SOURCE_WEIGHT = {'maskcc0': 0.4, 'maskedface_ffhq': 0.25, 'helmets': 0.4, 'human_samples': 2.0, 'mediapipe': 2.0,
                 'misc_photos': 2.0, 'faceapi': 1.5, 'video': 4.0, 'wider': 2.0, 'dlib': 2.0, 'caltech_webfaces': 0.7,
                 'ccp': 0.5}
NEGATIVE_WEIGHT = {'neg': 0.8, 'hardneg': 2.0, 'negcrop': 1.0, 'ignore_only': 0.3}
DEGRADED_SHARE = 0.35  # of views are taken from the copy that went through a video encoder


def read_rows(folder, keep):
    with open(os.path.join(folder, 'labels.jsonl'), encoding='utf-8') as file:
        return [row for row in map(json.loads, file) if keep(row)]


def read_image(path):
    image = cv2.imread(path)
    if image is None:
        raise FileNotFoundError(f'{path} cannot be read')
    return image


def pyramid(image):
    """The picture and its halves: shrinking far in one step would alias."""
    levels = [image]
    while max(levels[-1].shape) > 90:
        levels.append(cv2.resize(levels[-1], None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA))
    return levels


class Picture:
    """A decoded picture, faces [M, 16] (x1 y1 x2 y2, points, score, weight of landmarks), ignore [K, 4]; pixels."""

    def __init__(self, folder, row, degraded=None):
        self.row = row
        self.image = read_image(os.path.join(folder, row['file']))
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
        # Mining raises these: how much more often the picture is drawn, and a view is centred on the face.
        self.hardness, self.face_weight = 1.0, np.ones(len(faces))
        self.variants = []
        if degraded is not None:
            self.variants = [pyramid(self.image), pyramid(read_image(os.path.join(degraded, stem_of(row) + '.jpg')))]


def stem_of(row):
    return os.path.splitext(os.path.basename(row['file']))[0]


CIRCLE = np.stack([(np.cos(a), np.sin(a)) for a in np.arange(12) * np.pi / 6])


def project(matrix, points):
    """Points [..., 2] through a 3x3 matrix."""
    p = points @ matrix[:, :2].T + matrix[:, 2]
    return p[..., :2] / p[..., 2:]


def map_boxes(matrix, b):
    """Boxes around the ellipses that fill the boxes: those of the turned boxes would be too large."""
    if not len(b):
        return np.zeros((0, 4), np.float32)
    middle, half = (b[:, None, :2] + b[:, None, 2:4]) / 2, (b[:, None, 2:4] - b[:, None, :2]) / 2
    outline = project(matrix, middle + half * CIRCLE)
    return np.concatenate((outline.min(1), outline.max(1)), 1)


def choose_scale(rng, picture, wide, high, largest):
    """Scale, and the point of the picture that is wanted at a place of the area; chosen by face size, mostly.

    largest: share of the area's shorter side that a face may take.
    """
    h, w = picture.image.shape[:2]
    # Between all of the picture and all of its place covered.
    whole, cover = sorted((wide / w, high / h))
    fit = whole * (cover / whole) ** rng.random()
    if len(picture.faces) and rng.random() < 0.7:
        # Pick a face and the size at which it is wanted: sizes spread evenly over their logarithm.
        share = picture.face_weight.cumsum()
        f = picture.faces[min(np.searchsorted(share, rng.random() * share[-1]), len(share) - 1)]
        most = max(20, min(wide, high) * largest)
        wanted = np.exp(rng.uniform(np.log(8), np.log(most))) if rng.random() < 0.75 else rng.uniform(0.3, 1) * most
        scale = min(max(wanted / max(f[2] - f[0], f[3] - f[1]), 0.4 * fit), 2.6)
        return scale, np.array([f[0] + f[2], f[1] + f[3]]) / 2, rng.uniform(0.1, 0.9, 2) * (wide, high), 0.75
    # Enlarged views of anything: pictures smaller than the network's input are common and their textures fool it.
    scale = 1.0 if rng.random() < 0.15 else min(fit * np.exp(rng.uniform(-0.35, 1.1)), max(2.2, fit))
    return scale, rng.uniform(0, 1, 2) * (w, h), rng.uniform(0, 1, 2) * (wide, high), 1.0


def place(rng, picture, canvas, area, largest, calm):
    """Draws a random view of a picture into `area` (x1 y1 x2 y2) of the canvas; gives its faces and ignore boxes.

    calm: without rotation and perspective.
    """
    x1, y1, x2, y2 = area
    wide, high = x2 - x1, y2 - y1
    h, w = picture.image.shape[:2]
    scale, pivot, middle, tight = choose_scale(rng, picture, wide, high, largest)
    flip = rng.random() < 0.5
    # Where the picture is larger than its place, uncovered grey is the exception.
    if rng.random() < tight:
        for k, (inner, outer) in enumerate(((w, wide), (h, high))):
            before = inner - pivot[k] if flip and k == 0 else pivot[k]
            ends = outer - (inner - before) * scale, before * scale
            middle[k] = min(max(middle[k], min(ends)), max(ends))
    angle = 0.0
    if not calm and rng.random() < 0.35:
        angle = np.deg2rad(rng.normal(0, 12) if rng.random() < 0.85 else rng.uniform(-60, 60))
    # A wide spread: squeezed pictures are in the data, and a head that turns away grows narrow.
    aspect = np.exp(rng.normal(0, 0.06 if calm else 0.12))
    c, s = np.cos(angle), np.sin(angle)
    linear = np.array([[c, -s], [s, c]]) @ np.diag([scale * aspect * (-1 if flip else 1), scale / aspect])
    matrix = np.eye(3)
    matrix[:2, :2], matrix[:2, 2] = linear, middle - linear @ pivot
    tilted = not calm and rng.random() < 0.15
    if tilted:  # seen from the side or from below: perspective about the chosen point
        tilt = np.eye(3)
        tilt[2, :2] = rng.normal(0, 0.35, 2) / max(wide, high)
        to, back = np.eye(3), np.eye(3)
        to[:2, 2], back[:2, 2] = middle, -middle
        matrix = to @ tilt @ back @ matrix
    levels = picture.variants[int(rng.random() < DEGRADED_SHARE)]
    level = min(max(int(0.3 - np.log2(scale)), 0), len(levels) - 1)
    image = levels[level]
    shrunk = matrix @ np.diag([w / image.shape[1], h / image.shape[0], 1])
    mode = cv2.INTER_LINEAR if rng.random() < 0.85 else cv2.INTER_CUBIC
    target = canvas[y1:y2, x1:x2]
    if tilted:
        target[:] = cv2.warpPerspective(image, shrunk, (wide, high), flags=mode, borderValue=(PAD, PAD, PAD))
    else:
        target[:] = cv2.warpAffine(image, shrunk[:2], (wide, high), flags=mode, borderValue=(PAD, PAD, PAD))

    edge, offset = [wide, high, wide, high], np.array([x1, y1])
    faces, ignore = picture.faces.copy(), map_boxes(matrix, picture.ignore)
    if len(faces):
        points = project(matrix, faces[:, 4:14].reshape(-1, 5, 2))
        faces[:, 4:14] = (points[:, [1, 0, 2, 4, 3]] if flip else points).reshape(-1, 10)
        full = map_boxes(matrix, faces)
        clipped = full.clip(0, edge)
        seen = (clipped[:, 2:] - clipped[:, :2]).clip(0).prod(1) / ((full[:, 2:] - full[:, :2]).prod(1) + 1e-6)
        side = (clipped[:, 2:] - clipped[:, :2]).max(1)
        shown = (seen >= 0.45) & (side >= 5)
        ignore = np.concatenate((ignore, clipped[~shown & (seen > 0.02)]))
        faces[:, :4] = clipped
        faces = faces[shown]
        faces[:, :14] += np.tile(offset, 7)
    if len(ignore):
        ignore = (ignore.clip(0, edge) + np.tile(offset, 2)).astype(np.float32)
        ignore = ignore[(ignore[:, 2:] - ignore[:, :2]).min(1) > 1]
    return faces, ignore


class Batches:
    """Batch after batch (uint8 RGB [B, S, S, 3], targets), each decided by the seed and its number alone.

    sizes: (side, batch, share of views) triples, one drawn per batch. `mosaic` is the share of views put together
    from four pictures, `calm` the share without rotation, cover or change of colour.
    """

    def __init__(self, pictures, sizes, seed, mosaic, calm):
        self.pictures, self.sizes, self.seed, self.mosaic, self.calm = pictures, sizes, seed, mosaic, calm
        share = np.array([views / batch for _, batch, views in sizes])
        self.size_share = share / share.sum()
        self.reweigh()

    def reweigh(self):
        """To be called after the pictures' `hardness` changed."""
        self.share = np.cumsum([p.weight * p.hardness for p in self.pictures])

    def pick(self, rng):
        return self.pictures[min(np.searchsorted(self.share, rng.random() * self.share[-1]), len(self.pictures) - 1)]

    def sample(self, rng, side):
        canvas = np.full((side, side, 3), PAD, np.uint8)
        if rng.random() < self.mosaic:
            cx, cy = (rng.uniform(0.3, 0.7, 2) * side).astype(int)
            areas = ((0, 0, cx, cy), (cx, 0, side, cy), (0, cy, cx, side), (cx, cy, side, side))
        else:
            areas = ((0, 0, side, side),)
        calm = rng.random() < self.calm
        parts = [place(rng, self.pick(rng), canvas, area, 0.9, calm) for area in areas]
        faces, ignore = (np.concatenate([p[i] for p in parts]) for i in range(2))
        if not calm:
            for face in faces:
                turn(rng, canvas, face)
        if rng.random() < 0.2:
            write(rng, canvas, np.concatenate((faces[:, :4], ignore)))
        if not calm:
            for face in faces:
                occlude(rng, canvas, face)
            canvas = recolour(rng, canvas)
        return canvas[:, :, ::-1], torch.from_numpy(faces), torch.from_numpy(ignore)

    def __getitem__(self, number):
        rng = np.random.default_rng((self.seed, number))
        side, batch, _ = self.sizes[rng.choice(len(self.sizes), p=self.size_share)]
        samples = [self.sample(rng, side) for _ in range(batch)]
        return torch.from_numpy(np.stack([s[0] for s in samples])), [s[1:] for s in samples]
