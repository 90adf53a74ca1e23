"""Task-aligned assignment (TOOD, arXiv 2108.07755) and the three losses: class, box, landmarks."""

import torch
import torch.nn.functional as F

from model import boxes, landmarks

TOP_K = 10  # cells per face
ALPHA, BETA = 0.5, 4.0  # alignment = score^alpha * IoU^beta; BETA below TOOD's 6, for faces of few pixels
GAIN = {'class': 0.6, 'box': 6.0, 'points': 3.0}
FLOOR = 0.85  # share of the class target that a teacher's doubt cannot take


def iou(a, b, complete=False):
    """IoU, or CIoU (arXiv 1911.08287), of boxes x1 y1 x2 y2 that broadcast."""
    wh = (torch.minimum(a[..., 2:], b[..., 2:]) - torch.maximum(a[..., :2], b[..., :2])).clamp(min=0)
    size_a, size_b = a[..., 2:] - a[..., :2], b[..., 2:] - b[..., :2]
    inter = wh.prod(-1)
    value = inter / (size_a.prod(-1) + size_b.prod(-1) - inter + 1e-7)
    if not complete:
        return value
    hull = torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])
    apart = ((a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]) ** 2).sum(-1) / 4
    shape = (
        torch.atan(size_b[..., 0] / (size_b[..., 1] + 1e-7)) - torch.atan(size_a[..., 0] / (size_a[..., 1] + 1e-7))
    ) ** 2 * 0.4052847
    with torch.no_grad():
        weight = shape / (shape - value + 1 + 1e-7)
    return value - apart / ((hull**2).sum(-1) + 1e-7) - weight * shape


def within(centre, box):
    """[M, N]: whether centre [N, 2] lies inside box [M, 4]."""
    x, y = centre.T.contiguous()
    return (x > box[:, :1]) & (x < box[:, 2:3]) & (y > box[:, 1:2]) & (y < box[:, 3:4])


@torch.no_grad()
def assign(score, box, centre, stride, faces, picture):
    """Which cell answers for which face, over the whole batch.

    score [B, N] probabilities, box [B, N, 4] and centre [N, 2] in pixels, faces [M, 4], picture [M] (its index in the
    batch). Returns the positive cells as indices into B * N, the face of each, and its target in 0..1.
    """
    count = len(centre)
    inside = within(centre, faces)
    # The smallest faces hold no cell centre: they take the cell of the finest level that holds their middle.
    middle = (faces[:, :2] + faces[:, 2:]) / 2
    fine = int((stride == 8).sum())
    inside[:, :fine] |= within(centre[:fine], torch.cat((middle - 4, middle + 4), 1))
    face, cell = inside.nonzero(as_tuple=True)
    at = picture[face] * count + cell
    overlap = iou(faces[face], box.flatten(0, 1)[at]).clamp(min=0)
    align = torch.zeros(len(faces), count)
    align[face, cell] = score.flatten()[at] ** ALPHA * overlap**BETA + 1e-9
    fit = torch.zeros_like(align)
    fit[face, cell] = overlap
    top, index = align.topk(min(TOP_K, count), 1)
    face, rank = (top > 0).nonzero(as_tuple=True)
    cell, value = index[face, rank], top[face, rank]
    overlap, at = fit[face, cell], picture[face] * count + cell
    # A cell wanted by several faces serves the one it overlaps most.
    best = torch.zeros(score.numel()).scatter_reduce(0, at, overlap, 'amax')
    kept = overlap >= best[at]
    face, value, overlap, at = face[kept], value[kept], overlap[kept], at[kept]
    highest, closest = (torch.zeros(len(faces)).scatter_reduce(0, face, v, 'amax') for v in (value, overlap))
    return at, face, value / (highest[face] + 1e-12) * closest[face]


def loss(out, targets, grid, stride):
    """Losses of a batch and their parts.

    out: [B, N, OUTPUTS] of cells grid [N, 2] with stride [N]; targets: per picture (faces [M, 16]: box, five points
    x y, score, weight of landmarks; ignore [K, 4]), all in pixels. Cells inside ignore boxes that no face claims
    teach nothing.
    """
    centre = (grid + 0.5) * stride[:, None]
    logit = out[..., 0]
    # Every cell is decoded to be assigned; gradients are needed of the positive ones alone.
    with torch.no_grad():
        decoded, probability = boxes(out, grid, stride), logit.sigmoid()
    wanted, counted = torch.zeros(logit.numel()), torch.ones_like(logit)
    for b, (_, ignore) in enumerate(targets):
        if len(ignore):
            counted[b, within(centre, ignore).any(0)] = 0
    faces = torch.cat([f for f, _ in targets])
    at = None
    if len(faces):
        picture = torch.repeat_interleave(torch.tensor([len(f) for f, _ in targets]))
        at, owner, value = assign(probability, decoded, centre, stride, faces[:, :4], picture)
        wanted[at] = value * (FLOOR + (1 - FLOOR) * faces[owner, 14])
        counted.view(-1)[at] = 1
    total = wanted.sum().clamp(min=1)
    wrong = F.binary_cross_entropy_with_logits(logit.flatten(), wanted, reduction='none')
    parts = {'class': (wrong * counted.flatten()).sum() / total}
    if at is not None:
        face, weight = faces[owner], wanted[at]
        chosen, cell = out.flatten(0, 1)[at], at % len(centre)
        found = boxes(chosen, grid[cell], stride[cell])
        parts['box'] = ((1 - iou(found, face[:, :4], True)) * weight).sum() / total
        # Landmarks in units of the face, so that every size weighs the same.
        size = (face[:, 2:4] - face[:, :2]).prod(-1).clamp(min=16).sqrt()
        off = (landmarks(chosen, grid[cell], stride[cell]) - face[:, 4:14].unflatten(-1, (5, 2))) / size[:, None, None]
        off = F.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction='none').mean((1, 2))
        parts['points'] = (off * weight * face[:, 15]).sum() / total
    return sum(GAIN[k] * v for k, v in parts.items()), {k: float(v.detach()) for k, v in parts.items()}
