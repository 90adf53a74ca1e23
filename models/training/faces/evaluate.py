"""Average precision by the rules of the data folder's README: AP at IoU 0.5, ignore boxes left out.

A detection that finds no face and lies by half in an ignore box counts neither way.
"""

from collections import Counter

import cv2
import numpy as np
import torch

from dataset import PAD
from model import boxes, cells, flatten, landmarks

FLOOR, MAX_IOU = 0.02, 0.5


def overlaps(a, b):
    wh = (np.minimum(a[:, None, 2:], b[None, :, 2:]) - np.maximum(a[:, None, :2], b[None, :, :2])).clip(0)
    inter = wh.prod(2)
    return inter, inter / ((a[:, 2:] - a[:, :2]).prod(1)[:, None] + (b[:, 2:] - b[:, :2]).prod(1)[None] - inter + 1e-9)


def suppress(box, score):
    order, keep = np.argsort(-score), []
    _, iou = overlaps(box, box)
    while len(order):
        keep.append(order[0])
        order = order[1:][iou[order[0], order[1:]] <= MAX_IOU]
    return np.array(keep, int)


def decode(out, height, width):
    """One picture's boxes, scores and landmarks in input pixels, overlaps suppressed."""
    grid, stride = cells(height, width)
    score = out[:, 0].sigmoid()
    kept = score >= FLOOR
    out, grid, stride = out[kept], grid[kept], stride[kept]
    found, score, marks = boxes(out, grid, stride).numpy(), score[kept].numpy(), landmarks(out, grid, stride).numpy()
    keep = suppress(found, score)
    return found[keep], score[keep], marks[keep]


def letterbox(image, side):
    """Long side to `side`, padded with grey to multiples of 32 at the right and bottom; gives the scale too."""
    h, w = image.shape[:2]
    scale = side / max(h, w)
    size = max(1, round(w * scale)), max(1, round(h * scale))
    image = cv2.resize(image, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    canvas = np.full(((size[1] + 31) // 32 * 32, (size[0] + 31) // 32 * 32, 3), PAD, np.uint8)
    canvas[: size[1], : size[0]] = image
    return canvas, scale


@torch.no_grad()
def detect_all(model, pictures, side):
    """Detections of every picture in its own pixels."""
    results = []
    for p in pictures:
        canvas, scale = letterbox(p.image, side)
        x = torch.from_numpy(np.ascontiguousarray(canvas[:, :, ::-1]))[None].permute(0, 3, 1, 2).float() / 255
        box, score, marks = decode(flatten(model(x))[0], *canvas.shape[:2])
        results.append((box / scale, score, marks / scale))
    return results


def average_precision(pictures, results, threshold=0.45, least=0, cap=None, chosen=None):
    """AP over all pictures; precision and recall at a threshold; recall of faces of at least `least` pixels.

    cap: a clip (or picture, where it stands alone) with more faces than this counts for so many; None: all count alike.
    chosen: for a picture, which of its faces [M] are looked for; the others count neither way, and false alarms, which
    cannot be told apart like that, count by the share of the faces that is looked for. None: all.
    """
    shares = [1.0] * len(pictures)
    if cap:
        faces_of = Counter()
        for p in pictures:
            faces_of[p.row['group']] += len(p.faces)
        shares = [min(1.0, cap / max(1, faces_of[p.row['group']])) for p in pictures]
    total, everything, rows, big, big_found = 0.0, 0.0, [], 0.0, 0.0
    for p, share, (box, score, _) in zip(pictures, shares, results):
        faces = p.faces[:, :4]
        wanted = np.ones(len(faces), bool) if chosen is None else chosen(p)
        total, everything = total + wanted.sum() * share, everything + len(faces) * share
        large = wanted & ((faces[:, 2:] - faces[:, :2]).max(1) >= least) if len(faces) else wanted
        big += large.sum() * share
        taken = np.zeros(len(faces), bool)
        iou = overlaps(box, faces)[1] if len(faces) else None
        inside = overlaps(box, p.ignore)[0] if len(p.ignore) else None
        for i in np.argsort(-score):
            if len(faces):
                free = np.where(taken, 0, iou[i])
                j = free.argmax()
                if free[j] >= 0.5:
                    taken[j] = True
                    big_found += share * bool(large[j] and score[i] >= threshold)
                    if wanted[j]:
                        rows.append((score[i], share, 0))
                    continue
            if inside is not None and inside[i].max() >= 0.5 * (box[i, 2:] - box[i, :2]).prod():
                continue
            rows.append((score[i], 0, share))
    if not rows or not total:
        return {'ap': 0.0, 'precision': 0.0, 'recall': 0.0, 'large': 0.0}
    rows = np.array(sorted(rows, key=lambda r: -r[0]))
    hit, alarm = np.cumsum(rows[:, 1]), np.cumsum(rows[:, 2]) * total / everything
    recall, precision = hit / total, hit / (hit + alarm + 1e-12)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    ap = float(np.sum(np.diff(np.concatenate(([0], recall))) * envelope))
    n = int((rows[:, 0] >= threshold).sum())
    return {
        'ap': ap,
        'precision': float(precision[n - 1]) if n else 1.0,
        'recall': float(recall[n - 1]) if n else 0.0,
        'large': float(big_found / max(1e-9, big)),
    }
