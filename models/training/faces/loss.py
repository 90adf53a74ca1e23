"""Task-aligned assignment (TOOD, arXiv 2108.07755) and the four losses: class, box, bins, landmarks."""

import torch
import torch.nn.functional as F

from model import BINS, cells, flatten, sides

TOP_K = 10  # cells per face
ALPHA, BETA = 0.5, 4.0  # alignment = score^alpha * IoU^beta; BETA below TOOD's 6, for faces of few pixels
GAIN = {'class': 0.6, 'box': 6.0, 'bins': 1.5, 'points': 3.0}


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


@torch.no_grad()
def assign(score, box, centre, stride, faces):
    """Which cell answers for which face of one picture.

    score [N] probabilities, box [N, 4] and centre [N, 2] in pixels, faces [M, 4]. Returns positive cells,
    their face and their target in 0..1.
    """
    inside = torch.cat((centre[None] - faces[:, None, :2], faces[:, None, 2:] - centre[None]), -1).amin(-1) > 0
    # The smallest faces hold no cell centre: they take the cell of the finest level that holds their middle.
    near = ((centre[None] - (faces[:, None, :2] + faces[:, None, 2:]) / 2).abs().amax(-1) <= stride / 2) & (stride == 8)
    inside |= near
    overlap = iou(faces[:, None], box[None]).clamp(min=0)
    align = score[None] ** ALPHA * overlap**BETA
    align = torch.where(inside, align + 1e-9, torch.zeros(()))
    top, index = align.topk(min(TOP_K, align.shape[1]), 1)
    mask = torch.zeros_like(inside).scatter_(1, index, top > 0)
    # A cell wanted by several faces serves the one it overlaps most.
    best = torch.where(mask, overlap + 1e-9, torch.zeros(())).argmax(0)
    positive = mask.any(0).nonzero()[:, 0]
    face = best[positive]
    value = align[face, positive]
    owned = torch.zeros_like(align)
    owned[face, positive] = 1
    kept, fit = (align * owned).amax(1), (overlap * owned).amax(1)
    return positive, face, value / (kept[face] + 1e-12) * fit[face]


def place(distance, centre, stride):
    """Boxes x1 y1 x2 y2 in pixels from distances in cells."""
    return centre.repeat(1, 2) + torch.cat((-distance[..., :2], distance[..., 2:]), -1) * stride[:, None]


def loss(levels, targets, height, width):
    """Losses of a batch.

    targets: per picture (faces [M, 16]: box, five points x y, score, weight of landmarks; ignore [K, 4]),
    all in pixels. Cells inside ignore boxes that no face claims teach nothing.
    """
    box, logit, points = flatten(levels)
    grid, stride = cells(height, width)
    centre = (grid + 0.5) * stride[:, None]
    # Every cell is decoded to be assigned; gradients are needed of the positive ones alone.
    with torch.no_grad():
        decoded = place(sides(box), centre, stride)
        probability = logit.sigmoid()

    wanted = torch.zeros_like(logit)
    counted = torch.ones_like(logit)
    picked = []
    for b, (faces, ignore) in enumerate(targets):
        if len(ignore):
            hidden = (
                torch.cat((centre[None] - ignore[:, None, :2], ignore[:, None, 2:] - centre[None]), -1).amin(-1) > 0
            )
            counted[b, hidden.any(0)] = 0
        if len(faces):
            cell, face, value = assign(probability[b], decoded[b], centre, stride, faces[:, :4])
            # Teachers' confidence as the soft ceiling of the target.
            wanted[b, cell] = value * (0.55 + 0.45 * faces[face, 14])
            counted[b, cell] = 1
            picked.append((torch.full_like(cell, b), cell, faces[face]))
    total = wanted.sum().clamp(min=1)
    parts = {
        'class': (F.binary_cross_entropy_with_logits(logit, wanted, reduction='none') * counted).sum() / total
    }
    if picked:
        b, cell, face = (torch.cat(x) for x in zip(*picked))
        weight = wanted[b, cell].detach()
        bins = box[b, cell]
        found = place(sides(bins), centre[cell], stride[cell])
        parts['box'] = ((1 - iou(found, face[:, :4], True)) * weight).sum() / total
        target = torch.cat((centre[cell] - face[:, :2], face[:, 2:4] - centre[cell]), -1) / stride[cell, None]
        target = target.clamp(0, BINS - 1.01)
        low = target.floor()
        part = target - low
        log = bins.unflatten(-1, (4, BINS)).log_softmax(-1)
        pick = lambda k: log.gather(-1, k.long().unsqueeze(-1)).squeeze(-1)
        wrong = -(pick(low) * (1 - part) + pick(low + 1) * part).mean(-1)
        parts['bins'] = (wrong * weight).sum() / total
        # Landmarks in units of the face, so that every size weighs the same.
        size = (face[:, 2:4] - face[:, :2]).prod(-1).clamp(min=16).sqrt()
        found = (points[b, cell].unflatten(-1, (5, 2)) * 2 + grid[cell, None]) * stride[cell, None, None]
        off = (found - face[:, 4:14].unflatten(-1, (5, 2))) / size[:, None, None]
        off = F.smooth_l1_loss(off, torch.zeros_like(off), beta=0.05, reduction='none').mean((1, 2))
        parts['points'] = (off * weight * face[:, 15]).sum() / total
    return sum(GAIN[k] * v for k, v in parts.items()), {k: float(v) for k, v in parts.items()}
