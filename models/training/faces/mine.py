"""Hard examples: scores the training pictures now and then, and has those drawn more often that still go wrong."""

import numpy as np

from evaluate import detect_all, overlaps

SIDE = 416  # the long side of most stored pictures
FOUND, ALARM = 0.35, 0.4  # scores from which a face counts as found, and a false alarm as one
HARDEST = 3.0  # a label may be wrong: none counts for more than this


def mine(model, pictures):
    """Sets `hardness` and `face_weight` of each picture; gives the shares of faces missed and pictures with alarms."""
    missed = faces = alarms = 0
    for p, (box, score, _) in zip(pictures, detect_all(model, pictures, SIDE)):
        lost, wrong = np.zeros(len(p.faces), bool), 0
        inside = np.zeros(len(box))
        if len(p.ignore):
            inside = overlaps(box, p.ignore)[0].max(1) / ((box[:, 2:] - box[:, :2]).prod(1) + 1e-6)
        if len(p.faces):
            iou = overlaps(box, p.faces[:, :4])[1]
            lost = ~((iou >= 0.5) & (score >= FOUND)[:, None]).any(0)
            wrong = int(((iou < 0.3).all(1) & (inside < 0.5) & (score >= ALARM)).sum())
        else:
            wrong = int(((inside < 0.5) & (score >= ALARM)).sum())
        p.face_weight = np.where(lost, 3.0, 1.0)
        p.hardness = min(HARDEST, 1 + min(1.5, 0.75 * int(lost.sum())) + min(1.5, 0.75 * wrong))
        missed, faces, alarms = missed + int(lost.sum()), faces + len(lost), alarms + (wrong > 0)
    return {'train_missed': round(missed / max(1, faces), 4), 'train_alarms': round(alarms / len(pictures), 4)}
